//! A disk drive: zones, seek curve, rotation.

use sanlab_kernel::{Picoseconds, Rate, Station, share_of};

/// Time to move the arm.
///
/// Lee's three-point curve, as DiskSim has it: `t(x) = c + b (x - 1) + a sqrt(x - 1)` over `x`
/// cylinders, through the single-cylinder, the average and the full-stroke seek.
#[derive(Clone, Copy, Debug)]
pub struct SeekCurve {
    root: f64,
    linear: f64,
    single: f64,
}

impl SeekCurve {
    /// The curve through these three times over this many cylinders. The average is that of a random
    /// pair of cylinders.
    pub fn through(
        single: Picoseconds,
        average: Picoseconds,
        full: Picoseconds,
        cylinders: u32,
    ) -> Self {
        let (single, average, full) = (single as f64, average as f64, full as f64);
        let cylinders = f64::from(cylinders.max(2));
        Self {
            root: (-10.0 * single + 15.0 * average - 5.0 * full) / (3.0 * libm::sqrt(cylinders)),
            linear: (7.0 * single - 15.0 * average + 8.0 * full) / (3.0 * cylinders),
            single,
        }
    }

    /// Time to move over this many cylinders.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a seek lasts milliseconds, and is positive for a curve that rises"
    )]
    pub fn time(&self, cylinders: u32) -> Picoseconds {
        if cylinders == 0 {
            return 0;
        }
        let beyond = f64::from(cylinders - 1);
        (self.single + self.linear * beyond + self.root * libm::sqrt(beyond)).max(0.0) as u64
    }
}

/// What a drive is made of.
#[derive(Clone, Debug)]
pub struct DiskGeometry {
    /// Capacity.
    pub bytes: u64,
    /// One turn.
    pub revolution: Picoseconds,
    /// Cylinders.
    pub cylinders: u32,
    /// Arm movement.
    pub seek: SeekCurve,
    /// Added to a seek before a write.
    pub write_settle: Picoseconds,
    /// Sustained rate in the outermost zone, in bytes per second.
    pub outer_bytes_per_s: u64,
    /// Sustained rate in the innermost zone.
    pub inner_bytes_per_s: u64,
    /// From the command to the start of its seek.
    pub overhead: Picoseconds,
    /// Zones, of as many cylinders each, with rates on a line between outer and inner.
    pub zones: u32,
    /// A command that goes on where the last one ended loses no turn: the drive reads ahead, and
    /// gathers writes in its buffer.
    pub streaming: bool,
}

#[derive(Clone, Copy, Debug)]
struct Zone {
    first_byte: u64,
    bytes: u64,
    first_cylinder: u32,
    cylinders: u32,
    rate: Rate,
    track_bytes: u64,
}

/// A drive that serves its commands in order.
#[derive(Clone, Debug)]
pub struct Disk {
    geometry: DiskGeometry,
    zones: Vec<Zone>,
    cylinder: u32,
    /// Where the last command ended.
    next_address: u64,
    last_was_read: bool,
    station: Station,
}

/// How the time of one command divides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskService {
    /// Behind other commands.
    pub queue: Picoseconds,
    /// Overhead and arm movement.
    pub seek: Picoseconds,
    /// Until the sector comes round.
    pub rotation: Picoseconds,
    /// Over the sectors.
    pub transfer: Picoseconds,
    /// The command is done.
    pub ends_at: Picoseconds,
}

impl Disk {
    /// A drive with its arm over the first cylinder.
    pub fn new(geometry: DiskGeometry) -> Self {
        let zones = zones_of(&geometry);
        Self {
            geometry,
            zones,
            cylinder: 0,
            next_address: u64::MAX,
            last_was_read: true,
            station: Station::new(1),
        }
    }

    /// A command arrives. First come, first served, so that its end is known at once.
    pub fn arrive(
        &mut self,
        now: Picoseconds,
        address: u64,
        bytes: u64,
        is_read: bool,
    ) -> DiskService {
        let starts_at = self.station.next_start(now);
        let zone = self.zone_of(address);
        let transfer = zone.rate.time_for(bytes);
        let goes_on = address == self.next_address && is_read == self.last_was_read;
        let mut service = DiskService {
            queue: starts_at - now,
            transfer,
            ..DiskService::default()
        };
        if !(goes_on && self.geometry.streaming) {
            let cylinder = zone.cylinder_of(address);
            service.seek = self.geometry.overhead + self.seek_to(cylinder, is_read);
            service.rotation = self.rotation(starts_at + service.seek, &zone, address);
        }
        let end = self.zone_of((address + bytes - 1).min(self.geometry.bytes - 1));
        self.cylinder = end.cylinder_of(address + bytes - 1);
        self.next_address = address + bytes;
        self.last_was_read = is_read;
        let held = service.seek + service.rotation + service.transfer;
        service.ends_at = self.station.arrive(now, held).ends_at;
        service
    }

    /// A command is done.
    pub fn leave(&mut self, now: Picoseconds) {
        self.station.leave(now);
    }

    /// Its queue.
    pub fn station(&mut self) -> &mut Station {
        &mut self.station
    }

    fn seek_to(&self, cylinder: u32, is_read: bool) -> Picoseconds {
        let distance = cylinder.abs_diff(self.cylinder);
        let settle = if is_read || distance == 0 {
            0
        } else {
            self.geometry.write_settle
        };
        self.geometry.seek.time(distance) + settle
    }

    /// The platter turns from time zero on; a track's bytes are spread over one turn.
    fn rotation(&self, now: Picoseconds, zone: &Zone, address: u64) -> Picoseconds {
        let revolution = self.geometry.revolution;
        let on_track = (address - zone.first_byte) % zone.track_bytes;
        let place = share_of(revolution, on_track, zone.track_bytes);
        (place + revolution - now % revolution) % revolution
    }

    fn zone_of(&self, address: u64) -> Zone {
        let index = self
            .zones
            .partition_point(|zone| zone.first_byte <= address);
        self.zones[index - 1]
    }
}

impl Zone {
    fn cylinder_of(&self, address: u64) -> u32 {
        let offset = (address - self.first_byte).min(self.bytes - 1);
        let within = share_of(u64::from(self.cylinders), offset, self.bytes);
        self.first_cylinder + small(within)
    }
}

/// Zones of equal width; their capacity follows their rate.
fn zones_of(geometry: &DiskGeometry) -> Vec<Zone> {
    let count = geometry.zones.clamp(1, geometry.cylinders.max(1));
    let rates: Vec<u64> = (0..count)
        .map(|zone| rate_of(geometry, zone, count))
        .collect();
    let sum: u64 = rates.iter().sum();
    let mut zones = Vec::with_capacity(count as usize);
    let (mut first_byte, mut first_cylinder, mut seen) = (0u64, 0u32, 0u64);
    for (index, &rate) in rates.iter().enumerate() {
        seen += rate;
        let end_byte = share_of(geometry.bytes, seen, sum);
        let cylinders = u64::from(geometry.cylinders);
        let end_cylinder = small(share_of(cylinders, index as u64 + 1, u64::from(count)));
        zones.push(Zone {
            first_byte,
            bytes: (end_byte - first_byte).max(1),
            first_cylinder,
            cylinders: (end_cylinder - first_cylinder).max(1),
            rate: Rate::from_bytes_per_s(rate),
            track_bytes: track_bytes(rate, geometry.revolution),
        });
        (first_byte, first_cylinder) = (end_byte, end_cylinder);
    }
    zones
}

fn rate_of(geometry: &DiskGeometry, zone: u32, count: u32) -> u64 {
    let (outer, inner) = (geometry.outer_bytes_per_s, geometry.inner_bytes_per_s);
    if count == 1 {
        return outer.midpoint(inner);
    }
    outer
        - share_of(
            outer.saturating_sub(inner),
            u64::from(zone),
            u64::from(count - 1),
        )
}

/// What passes under a head in one turn, in whole sectors.
fn track_bytes(bytes_per_s: u64, revolution: Picoseconds) -> u64 {
    let bytes = share_of(bytes_per_s, revolution, 1_000_000_000_000);
    (bytes / 512 * 512).max(512)
}

/// A number of cylinders.
fn small(cylinders: u64) -> u32 {
    u32::try_from(cylinders).expect("a drive has fewer than 2^32 cylinders")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sanlab_kernel::RandomStream;

    const MS: u64 = 1_000_000_000;

    fn ten_thousand_rpm() -> DiskGeometry {
        let cylinders = 50_000;
        DiskGeometry {
            bytes: 146_000_000_000,
            revolution: 6 * MS,
            cylinders,
            seek: SeekCurve::through(350_000_000, 4_700_000_000, 9_800_000_000, cylinders),
            write_settle: 0,
            outer_bytes_per_s: 69_000_000,
            inner_bytes_per_s: 38_000_000,
            overhead: 0,
            zones: 16,
            streaming: true,
        }
    }

    #[test]
    fn seek_curve_goes_through_its_points() {
        let seek = ten_thousand_rpm().seek;
        assert_eq!(seek.time(0), 0);
        assert_eq!(seek.time(1), 350_000_000);
        assert!((seek.time(50_000) as f64 / 9.8e9 - 1.0).abs() < 0.001);
        let mut draws = RandomStream::new(1, "seek");
        let mut sum = 0;
        for _ in 0..100_000 {
            sum += seek.time(small(draws.below(50_000).abs_diff(draws.below(50_000))));
        }
        assert!((sum as f64 / 1e5 / 4.7e9 - 1.0).abs() < 0.01);
    }

    /// Mean random read = overhead + mean seek + half a turn + transfer. Data lie denser outside, so
    /// the mean seek over random bytes is a little below that over random cylinders.
    #[test]
    fn random_reads_take_a_seek_and_half_a_turn() {
        let mut disk = Disk::new(ten_thousand_rpm());
        let mut draws = RandomStream::new(5, "reads");
        let (mut now, mut rotation, count) = (0, 0, 20_000);
        for _ in 0..count {
            now += draws.below(MS);
            let service = disk.arrive(now, draws.below(285_000_000) * 512, 4096, true);
            assert_eq!(service.queue, 0);
            rotation += service.rotation;
            now = service.ends_at;
            disk.leave(now);
        }
        let half_turns = rotation as f64 / f64::from(count) / (3.0 * MS as f64);
        assert!((half_turns - 1.0).abs() < 0.02, "{half_turns}");
        let mean_ms = now as f64 / f64::from(count) / MS as f64 - 0.5;
        assert!((mean_ms - (4.7 + 3.0 + 0.08)).abs() < 0.25, "{mean_ms}");
    }

    #[test]
    fn sequential_commands_stream_at_the_zone_rate() {
        let mut disk = Disk::new(ten_thousand_rpm());
        let first = disk.arrive(0, 0, 65_536, false);
        let second = disk.arrive(0, 65_536, 65_536, false);
        assert_eq!(second.seek + second.rotation, 0);
        assert_eq!(
            second.ends_at - first.ends_at,
            Rate::from_bytes_per_s(69_000_000).time_for(65_536)
        );
    }

    #[test]
    fn the_last_byte_is_in_the_last_zone() {
        let disk = Disk::new(ten_thousand_rpm());
        let last = disk.zone_of(disk.geometry.bytes - 1);
        assert_eq!(last.cylinder_of(disk.geometry.bytes - 1), 49_999);
    }
}
