//! Crossbars that open circuits between disjoint pairs at once.

use std::collections::VecDeque;

use sanlab_kernel::{Alarms, Picoseconds, id_of};

use super::StringCounters;

/// Parallel links between two crossbars; a circuit takes one of them.
#[derive(Clone, Copy, Debug)]
pub struct LoopString {
    /// The crossbars at its ends.
    pub between: (u32, u32),
    /// Links.
    pub links: u32,
    /// Time of a word over it, the crossbar it ends at included.
    pub delay: Picoseconds,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    crossbar: u32,
    /// Time of a word to or from the crossbar, the port's own delay included.
    delay: Picoseconds,
    is_busy: bool,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    place: u32,
    since: Picoseconds,
}

/// A loop in which a crossbar stands between the ports.
///
/// A port that arbitrates has its own ARB back from the crossbar as soon as the port it wants and a
/// way to it are free; those that wait for the same are served in the order of their requests.
#[derive(Clone, Debug)]
pub struct SwitchedLoop {
    places: Vec<Place>,
    strings: Vec<LoopString>,
    taken: Vec<u32>,
    /// What has been counted of each string.
    pub strings_counted: Vec<StringCounters>,
    /// Strings from crossbar to crossbar; `None` if there is no way.
    ways: Vec<Option<Vec<u32>>>,
    /// The same for new circuits since a crossbar has gone.
    ways_left: Option<Vec<Option<Vec<u32>>>>,
    crossbars: usize,
    waiting: VecDeque<Wait>,
    granted: Vec<u32>,
    /// Next step of the circuit that each place owns.
    pub(crate) alarms: Alarms,
}

impl SwitchedLoop {
    /// Places with the crossbar they are on and the time of a word to it.
    pub fn new(crossbars: u32, places: &[(u32, Picoseconds)], strings: Vec<LoopString>) -> Self {
        let count = crossbars as usize;
        let numbered: Vec<_> = (0..).zip(strings.iter().copied()).collect();
        let ways = (0..crossbars)
            .flat_map(|from| ways_from(from, count, &numbered))
            .collect();
        Self {
            places: places
                .iter()
                .map(|&(crossbar, delay)| Place {
                    crossbar,
                    delay,
                    is_busy: false,
                })
                .collect(),
            taken: vec![0; strings.len()],
            strings_counted: vec![StringCounters::default(); strings.len()],
            strings,
            ways,
            ways_left: None,
            crossbars: count,
            waiting: VecDeque::new(),
            granted: Vec::new(),
            alarms: Alarms::new(places.len()),
        }
    }

    /// Places on a crossbar.
    pub(crate) fn places_on(&self, crossbar: u32) -> impl Iterator<Item = u32> + '_ {
        let places = self.places.iter().enumerate();
        places
            .filter(move |(_, place)| place.crossbar == crossbar)
            .map(|(index, _)| id_of(index))
    }

    /// A crossbar is gone: no way leads over it. Circuits that are open end as they would have.
    pub(crate) fn darken(&mut self, crossbar: u32) {
        let count = self.crossbars;
        let strings = &self.strings;
        let is_left =
            |string: &LoopString| string.between.0 != crossbar && string.between.1 != crossbar;
        let left: Vec<_> = strings
            .iter()
            .enumerate()
            .filter(|(_, string)| is_left(string))
            .map(|(index, &string)| (id_of(index), string))
            .collect();
        let from_all = (0..id_of(count)).flat_map(|from| ways_from(from, count, &left));
        self.ways_left = Some(from_all.collect());
    }

    /// Whether there is a way.
    pub(crate) fn joins(&self, a: u32, b: u32) -> bool {
        let from = self.places[a as usize].crossbar as usize;
        let to = self.places[b as usize].crossbar as usize;
        let ways = self.ways_left.as_ref().unwrap_or(&self.ways);
        ways[from * self.crossbars + to].is_some()
    }

    /// Time of a word from one place to another.
    pub(crate) fn delay(&self, from: u32, to: u32) -> Picoseconds {
        let strings = self.way(from, to).unwrap_or_default();
        let between: Picoseconds = strings
            .iter()
            .map(|&string| self.strings[string as usize].delay)
            .sum();
        self.places[from as usize].delay + between + self.places[to as usize].delay
    }

    fn way(&self, from: u32, to: u32) -> Option<&[u32]> {
        let from = self.places[from as usize].crossbar as usize;
        let to = self.places[to as usize].crossbar as usize;
        self.ways[from * self.crossbars + to].as_deref()
    }

    pub(crate) fn next_at(&self) -> Picoseconds {
        self.alarms.first().0
    }

    pub(crate) fn next_place(&self) -> u32 {
        self.alarms.first().1
    }

    /// A place wants a circuit to the partner of its first sequence.
    pub(crate) fn request(&mut self, place: u32, now: Picoseconds) {
        if !self.waiting.iter().any(|wait| wait.place == place) {
            self.waiting.push_back(Wait { place, since: now });
        }
    }

    pub(crate) fn withdraw(&mut self, place: u32) {
        self.waiting.retain(|wait| wait.place != place);
    }

    /// Places that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = u32> {
        self.waiting.iter().map(|wait| wait.place)
    }

    /// Grant all requests that can be granted, and set the alarms of their wins.
    pub(crate) fn grant(
        &mut self,
        now: Picoseconds,
        mut partner_of: impl FnMut(u32) -> u32,
    ) -> &[u32] {
        self.granted.clear();
        let mut index = 0;
        while index < self.waiting.len() {
            let Wait { place, since } = self.waiting[index];
            if self.places[place as usize].is_busy || !self.take(place, partner_of(place)) {
                index += 1;
                continue;
            }
            self.waiting.remove(index);
            let delay = self.places[place as usize].delay;
            // Its ARB reaches the crossbar and comes back, at once or when the way is free.
            let won_at = (since + 2 * delay).max(now + delay);
            self.alarms.set(place, won_at);
            self.granted.push(place);
        }
        &self.granted
    }

    /// Take ports and strings, all or none.
    fn take(&mut self, place: u32, partner: u32) -> bool {
        if self.places[partner as usize].is_busy {
            return false;
        }
        let from = self.places[place as usize].crossbar as usize;
        let to = self.places[partner as usize].crossbar as usize;
        let way = self.ways[from * self.crossbars + to].as_deref();
        let way = way.expect("a circuit between ports that a way joins");
        let is_free = |&string: &u32| {
            let string = string as usize;
            self.taken[string] < self.strings[string].links
        };
        if !way.iter().all(is_free) {
            return false;
        }
        for &string in way {
            let taken = &mut self.taken[string as usize];
            *taken += 1;
            let counted = &mut self.strings_counted[string as usize];
            counted.circuits += 1;
            counted.most_held = counted.most_held.max(*taken);
        }
        self.places[place as usize].is_busy = true;
        self.places[partner as usize].is_busy = true;
        true
    }

    /// A circuit that was open so long is over.
    pub(crate) fn free(&mut self, place: u32, partner: u32, held: Picoseconds) {
        self.alarms.clear(place);
        self.places[place as usize].is_busy = false;
        self.places[partner as usize].is_busy = false;
        let from = self.places[place as usize].crossbar as usize;
        let to = self.places[partner as usize].crossbar as usize;
        for &string in self.ways[from * self.crossbars + to].iter().flatten() {
            self.taken[string as usize] -= 1;
            self.strings_counted[string as usize].held += held;
        }
    }
}

/// Shortest ways from one crossbar to each, by breadth first.
fn ways_from(from: u32, count: usize, strings: &[(u32, LoopString)]) -> Vec<Option<Vec<u32>>> {
    let mut ways: Vec<Option<Vec<u32>>> = vec![None; count];
    ways[from as usize] = Some(Vec::new());
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        let so_far = ways[at as usize].clone().unwrap_or_default();
        for &(index, string) in strings {
            let (a, b) = string.between;
            let to = match at {
                at if at == a => b,
                at if at == b => a,
                _ => continue,
            };
            if ways[to as usize].is_none() {
                let mut way = so_far.clone();
                way.push(index);
                ways[to as usize] = Some(way);
                queue.push_back(to);
            }
        }
    }
    ways
}
