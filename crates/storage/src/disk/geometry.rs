//! Where each block lies: zones, mapping of blocks to tracks, sparing, skew.

use sanlab_kernel::{Id, IdVec, Span};

/// Bytes of a block.
pub const BLOCK_BYTES: u64 = 512;

/// In which order the surfaces of a cylinder are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// From the first surface to the last on every cylinder.
    Forward,
    /// Every other cylinder backwards, the first one of each zone forwards.
    SerpentineInZone,
    /// Odd cylinders backwards.
    SerpentineOnDisk,
}

/// Where spare sectors lie, and how far a slipped sector moves the blocks behind it.
///
/// The schemes and their names are those of DiskSim's first layout model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sparing {
    /// No spares.
    None,
    /// Whole tracks at the end of the zone; slips and defects count tracks.
    Tracks,
    /// Sectors at the end of each track.
    PerTrack,
    /// Sectors at one end of each cylinder.
    PerCylinder {
        /// They lie at the front of the cylinder.
        at_front: bool,
        /// A slip moves all blocks up to the end of the zone, not only those of its cylinder.
        to_end: bool,
    },
    /// None apart from the slipped sectors, which move all blocks behind them.
    AtEnd,
    /// Sectors at the end of this many cylinders.
    PerRange(u32),
    /// Sectors at the end of each zone, less the slipped ones where these come on top.
    PerZone {
        /// Slipped sectors are not taken from the spares.
        slips_on_top: bool,
    },
}

/// Cylinders with equally many blocks on each track.
#[derive(Clone, Debug)]
pub struct Zone {
    /// First cylinder.
    pub first_cylinder: u32,
    /// Last cylinder.
    pub last_cylinder: u32,
    /// Sectors of a track.
    pub blocks_per_track: u32,
    /// From the index mark to the first sector of the first track.
    pub first_angle: Span,
    /// From the first sector of a track to that of the next track of the cylinder.
    pub track_skew: Span,
    /// From the first sector of the last track of a cylinder to the first of the next cylinder.
    pub cylinder_skew: Span,
    /// Sectors before the first block of the zone.
    pub empty_front: u64,
    /// Spares, in the unit of the sparing scheme.
    pub spares: u64,
    /// Places that are passed over, counted in sectors (or tracks) from the start of the zone, rising.
    pub slips: Vec<u64>,
    /// Places whose block lies elsewhere: `(defective, replacement)`.
    pub defects: Vec<(u64, u64)>,
}

/// What does not fit together in a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryFault {
    /// There is no zone, surface or turn.
    Empty,
    /// A zone begins before the end of the one before, or ends before it begins: which one.
    Overlap(Id<Zone>),
    /// Spares and the empty front of a zone need more sectors than it has, or no zone has a block:
    /// which one.
    NoBlocks(Id<Zone>),
    /// Spares and slips of a zone need more sectors than it has: which one.
    Overfull(Id<Zone>),
}

#[derive(Clone, Debug)]
struct PlacedZone {
    zone: Zone,
    first_block: u64,
    blocks: u64,
}

/// The layout of a drive.
#[derive(Clone, Debug)]
pub struct Geometry {
    zones: IdVec<Zone, PlacedZone>,
    surfaces: u32,
    mapping: Mapping,
    sparing: Sparing,
    revolution: Span,
    blocks: u64,
    /// Some block is not where its neighbours are.
    has_replaced: bool,
}

/// The sector of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Cylinder.
    pub cylinder: u32,
    /// Surface, which has a head of its own.
    pub head: u32,
    /// Sector on the track, from 0.
    pub sector: u32,
    /// Its zone.
    zone: Id<Zone>,
    /// Position of the track within the cylinder, in the order of the blocks.
    order: u32,
}

/// Where a block is: its sector, and the angle from the index mark to it.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Its sector.
    pub place: Place,
    /// Less than a turn.
    pub angle: Span,
}

/// The run of blocks on one track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// First block.
    pub first: u64,
    /// One past the last block.
    pub end: u64,
    /// Sectors of the track.
    pub sectors: u32,
}

impl Geometry {
    /// A layout; zones rise. Cylinders between two zones are spare and hold no blocks.
    pub fn new(
        zones: Vec<Zone>,
        surfaces: u32,
        mapping: Mapping,
        sparing: Sparing,
        revolution: Span,
    ) -> Result<Self, GeometryFault> {
        if zones.is_empty() || surfaces == 0 || revolution.is_zero() {
            return Err(GeometryFault::Empty);
        }
        let mut geometry = Self {
            zones: IdVec::new(),
            surfaces,
            mapping,
            sparing,
            revolution,
            blocks: 0,
            has_replaced: zones.iter().any(|zone| !zone.defects.is_empty()),
        };
        let mut next_cylinder = 0;
        let mut zones = zones.into_iter().peekable();
        while let Some(mut zone) = zones.next() {
            let id = geometry.zones.next_id();
            if zone.first_cylinder < next_cylinder || zone.last_cylinder < zone.first_cylinder {
                return Err(GeometryFault::Overlap(id));
            }
            next_cylinder = zone.last_cylinder + 1;
            zone.slips.sort_unstable();
            zone.defects.sort_unstable();
            let room_to = zones
                .peek()
                .map_or(next_cylinder, |next| next.first_cylinder);
            geometry.place_zone(zone, room_to)?;
        }
        if geometry.blocks == 0 {
            return Err(GeometryFault::NoBlocks(Id::new(0)));
        }
        Ok(geometry)
    }

    /// Slips may push blocks into the spare cylinders before `room_to`.
    fn place_zone(&mut self, zone: Zone, room_to: u32) -> Result<(), GeometryFault> {
        let id = self.zones.next_id();
        let cylinders = u64::from(zone.last_cylinder - zone.first_cylinder) + 1;
        let per_track = u64::from(zone.blocks_per_track);
        let sectors = cylinders * u64::from(self.surfaces) * per_track;
        let slips = zone.slips.len() as u64;
        let lost = match self.sparing {
            Sparing::None => 0,
            Sparing::Tracks => zone.spares * per_track,
            Sparing::PerTrack => zone.spares * cylinders * u64::from(self.surfaces),
            Sparing::PerCylinder { to_end, .. } => {
                zone.spares * cylinders + if to_end { slips } else { 0 }
            }
            Sparing::AtEnd => slips,
            Sparing::PerRange(range) => zone.spares * (cylinders / u64::from(range.max(1))),
            Sparing::PerZone { slips_on_top } => zone.spares + if slips_on_top { slips } else { 0 },
        };
        let Some(blocks) = sectors.checked_sub(lost + zone.empty_front) else {
            return Err(GeometryFault::NoBlocks(id));
        };
        let placed = PlacedZone {
            first_block: self.blocks,
            blocks,
            zone,
        };
        let spare = u64::from(room_to.saturating_sub(placed.zone.last_cylinder + 1));
        let room = sectors + spare * u64::from(self.surfaces) * per_track;
        if blocks > 0 {
            let last = blocks - 1 + placed.zone.empty_front;
            if self.sector_in_zone(&placed, last) >= room {
                return Err(GeometryFault::Overfull(id));
            }
        }
        self.blocks += blocks;
        self.zones.push(placed);
        Ok(())
    }

    /// Blocks of the disk.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Cylinders.
    pub fn cylinders(&self) -> u32 {
        let zones = self.zones.iter();
        zones
            .last()
            .map_or(0, |placed| placed.zone.last_cylinder + 1)
    }

    /// One turn.
    pub fn revolution(&self) -> Span {
        self.revolution
    }

    /// Where a block lies, its replacement where it is defective.
    pub fn locate(&self, block: u64) -> Place {
        let zone = self.zone_of(block);
        let placed = &self.zones[zone];
        let mut sector = self.home(placed, block);
        if !placed.zone.defects.is_empty() {
            sector = self.replaced(&placed.zone, sector);
        }
        self.place(zone, sector)
    }

    /// The same with the angle of its sector.
    pub fn spot(&self, block: u64) -> Spot {
        let place = self.locate(block);
        Spot {
            place,
            angle: self.angle(place),
        }
    }

    /// The first of these blocks that is not where its neighbours are.
    pub fn first_replaced(&self, mut blocks: std::ops::Range<u64>) -> Option<u64> {
        if !self.has_replaced {
            return None;
        }
        blocks.find(|&block| self.is_replaced(block))
    }

    /// A block is not where its neighbours are.
    pub fn is_replaced(&self, block: u64) -> bool {
        let placed = &self.zones[self.zone_of(block)];
        if placed.zone.defects.is_empty() {
            return false;
        }
        let home = self.home(placed, block);
        self.replaced(&placed.zone, home) != home
    }

    /// The blocks on the track of a block, as if none were replaced.
    pub fn track(&self, block: u64) -> Track {
        let zone = self.zone_of(block);
        let placed = &self.zones[zone];
        let per_track = u64::from(placed.zone.blocks_per_track);
        let home = self.home(placed, block);
        let (track, sector) = (home / per_track, home % per_track);
        let is_there = |block: u64| self.home(placed, block) / per_track == track;
        let mut first = block.saturating_sub(sector).max(placed.first_block);
        // Slipped and spare sectors of the track make it hold fewer blocks than sectors.
        while !is_there(first) {
            first += 1;
        }
        let limit = placed.first_block + placed.blocks;
        let mut end = (block + per_track - sector).min(limit);
        while !is_there(end - 1) {
            end -= 1;
        }
        Track {
            first,
            end,
            sectors: placed.zone.blocks_per_track,
        }
    }

    /// From the index mark to the start of a sector.
    pub fn angle(&self, place: Place) -> Span {
        let zone = &self.zones[place.zone].zone;
        let cylinder = u64::from(place.cylinder - zone.first_cylinder);
        let switches = u64::from(place.order) + u64::from(self.surfaces - 1) * cylinder;
        let skew = zone.track_skew * switches + zone.cylinder_skew * cylinder;
        let sector = u64::from(place.sector) + self.pushed(zone, place);
        let on_track = self
            .revolution
            .share(sector, u64::from(zone.blocks_per_track));
        (zone.first_angle + skew + on_track) % self.revolution
    }

    /// Time for this many blocks of a long sequential transfer that begins at a block.
    pub fn streaming_time(&self, block: u64, blocks: u64) -> Span {
        let zone = &self.zones[self.zone_of(block)].zone;
        let surfaces = u64::from(self.surfaces);
        let skews = zone.track_skew * (surfaces - 1) + zone.cylinder_skew;
        let cylinder = self.revolution * surfaces + skews;
        cylinder.share(blocks, surfaces * u64::from(zone.blocks_per_track))
    }

    /// Slips push the first sector of later tracks on where spares lie in the cylinder or track.
    fn pushed(&self, zone: &Zone, place: Place) -> u64 {
        let in_track = match self.sparing {
            Sparing::PerTrack => place.head,
            Sparing::PerCylinder { .. } => 0,
            _ => return 0,
        };
        let cylinder = u64::from(place.cylinder - zone.first_cylinder);
        let tracks = cylinder * u64::from(self.surfaces) + u64::from(in_track);
        let limit = tracks * u64::from(zone.blocks_per_track);
        zone.slips.partition_point(|&slip| slip < limit) as u64
    }

    fn zone_of(&self, block: u64) -> Id<Zone> {
        let zones = self.zones.as_slice();
        let behind = zones.partition_point(|placed| placed.first_block <= block);
        Id::from_place(behind.saturating_sub(1))
    }

    /// Sector within the zone that is the block's own.
    fn home(&self, placed: &PlacedZone, block: u64) -> u64 {
        let offset = (block - placed.first_block).min(placed.blocks - 1);
        self.sector_in_zone(placed, offset + placed.zone.empty_front)
    }

    fn sector_in_zone(&self, placed: &PlacedZone, offset: u64) -> u64 {
        let zone = &placed.zone;
        let per_track = u64::from(zone.blocks_per_track);
        let per_cylinder = per_track * u64::from(self.surfaces);
        match self.sparing {
            Sparing::None => offset,
            Sparing::AtEnd | Sparing::PerZone { .. } => slipped(&zone.slips, 0, offset),
            Sparing::Tracks => {
                let track = slipped(&zone.slips, 0, offset / per_track);
                track * per_track + offset % per_track
            }
            Sparing::PerTrack => in_groups(zone, per_track, 0, offset),
            Sparing::PerRange(range) => {
                in_groups(zone, per_cylinder * u64::from(range.max(1)), 0, offset)
            }
            Sparing::PerCylinder { at_front, to_end } => {
                let front = if at_front { zone.spares } else { 0 };
                if to_end {
                    slipped_to_end(zone, per_cylinder, front, offset)
                } else {
                    in_groups(zone, per_cylinder, front, offset)
                }
            }
        }
    }

    fn replaced(&self, zone: &Zone, sector: u64) -> u64 {
        let unit = match self.sparing {
            Sparing::Tracks => u64::from(zone.blocks_per_track),
            _ => 1,
        };
        let defect = zone
            .defects
            .binary_search_by_key(&(sector / unit), |&(from, _)| from);
        match defect {
            Ok(index) => zone.defects[index].1 * unit + sector % unit,
            Err(_) => sector,
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "a zone has fewer cylinders, surfaces and sectors of a track than 2^32"
    )]
    fn place(&self, zone: Id<Zone>, sector: u64) -> Place {
        let zone_model = &self.zones[zone].zone;
        let track = sector / u64::from(zone_model.blocks_per_track);
        let order = (track % u64::from(self.surfaces)) as u32;
        let cylinder = zone_model.first_cylinder + (track / u64::from(self.surfaces)) as u32;
        let is_backwards = match self.mapping {
            Mapping::Forward => false,
            Mapping::SerpentineInZone => (cylinder - zone_model.first_cylinder) % 2 == 1,
            Mapping::SerpentineOnDisk => cylinder % 2 == 1,
        };
        Place {
            cylinder,
            head: if is_backwards {
                self.surfaces - 1 - order
            } else {
                order
            },
            sector: (sector % u64::from(zone_model.blocks_per_track)) as u32,
            zone,
            order,
        }
    }
}

/// A position after all slips at or before it, counted from `base`.
fn slipped(slips: &[u64], base: u64, mut offset: u64) -> u64 {
    for &slip in &slips[slips.partition_point(|&slip| slip < base)..] {
        if slip - base > offset {
            break;
        }
        offset += 1;
    }
    offset
}

/// Groups of sectors with spares of their own: slips move blocks within their group.
fn in_groups(zone: &Zone, sectors: u64, front: u64, offset: u64) -> u64 {
    let usable = sectors.saturating_sub(zone.spares).max(1);
    let base = offset / usable * sectors;
    base + slipped(&zone.slips, base, offset % usable + front)
}

/// Spares in each cylinder, but slips move all blocks behind them.
fn slipped_to_end(zone: &Zone, sectors: u64, front: u64, mut offset: u64) -> u64 {
    let usable = sectors.saturating_sub(zone.spares).max(1);
    for slip in &zone.slips {
        let at = slip / sectors * usable + (slip % sectors).saturating_sub(front);
        if at > offset {
            break;
        }
        offset += 1;
    }
    offset / usable * sectors + front + offset % usable
}
