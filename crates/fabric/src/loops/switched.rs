//! Crossbars that open circuits between disjoint pairs at once.

use std::collections::VecDeque;

use sanlab_fc::LoopPlace;
use sanlab_kernel::{Alarms, Id, IdVec, Instant, Span};

use super::StringCounters;

/// A crossbar of a switched loop.
pub enum Crossbar {}

/// Parallel links between two crossbars; a circuit takes one of them.
#[derive(Clone, Copy, Debug)]
pub struct LoopString {
    /// The crossbars at its ends.
    pub between: (Id<Crossbar>, Id<Crossbar>),
    /// Links.
    pub links: u32,
    /// Time of a word over it, the crossbar it ends at included.
    pub delay: Span,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    crossbar: Id<Crossbar>,
    /// Time of a word to or from the crossbar, the port's own delay included.
    delay: Span,
    is_busy: bool,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    place: Id<LoopPlace>,
    since: Instant,
}

/// A loop in which a crossbar stands between the ports.
///
/// A port that arbitrates has its own ARB back from the crossbar as soon as the port it wants and a
/// way to it are free; those that wait for the same are served in the order of their requests.
#[derive(Clone, Debug)]
pub struct SwitchedLoop {
    places: IdVec<LoopPlace, Place>,
    strings: IdVec<LoopString>,
    taken: IdVec<LoopString, u32>,
    /// What has been counted of each string.
    pub strings_counted: IdVec<LoopString, StringCounters>,
    /// Strings from crossbar to crossbar; `None` if there is no way.
    ways: Ways,
    /// The same for new circuits since a crossbar has gone.
    ways_left: Option<Ways>,
    waiting: VecDeque<Wait>,
    granted: Vec<Id<LoopPlace>>,
    /// Next step of the circuit that each place owns.
    pub(crate) alarms: Alarms,
}

impl SwitchedLoop {
    /// Places with the crossbar they are on and the time of a word to it.
    pub fn new(
        crossbars: u32,
        places: &[(Id<Crossbar>, Span)],
        strings: IdVec<LoopString>,
    ) -> Self {
        let count = crossbars as usize;
        let all: Vec<_> = strings.pairs().collect();
        let ways = (0..crossbars)
            .map(|from| ways_from(Id::new(from), count, &all))
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
            taken: IdVec::filled(0, strings.len()),
            strings_counted: IdVec::filled(StringCounters::default(), strings.len()),
            strings,
            ways,
            ways_left: None,
            waiting: VecDeque::new(),
            granted: Vec::new(),
            alarms: Alarms::new(places.len()),
        }
    }

    /// Places on a crossbar.
    pub(crate) fn places_on(
        &self,
        crossbar: Id<Crossbar>,
    ) -> impl Iterator<Item = Id<LoopPlace>> + '_ {
        let places = self.places.pairs();
        places
            .filter(move |(_, place)| place.crossbar == crossbar)
            .map(|(id, _)| id)
    }

    /// A crossbar is gone: no way leads over it. Circuits that are open end as they would have.
    pub(crate) fn darken(&mut self, crossbar: Id<Crossbar>) {
        let is_left =
            |string: &LoopString| string.between.0 != crossbar && string.between.1 != crossbar;
        let strings = self.strings.pairs();
        let left: Vec<_> = strings.filter(|(_, string)| is_left(string)).collect();
        let crossbars = self.ways.ids();
        let from_all = crossbars.map(|from| ways_from(from, self.ways.len(), &left));
        self.ways_left = Some(from_all.collect());
    }

    /// Whether there is a way.
    pub(crate) fn joins(&self, a: Id<LoopPlace>, b: Id<LoopPlace>) -> bool {
        let from = self.places[a].crossbar;
        let to = self.places[b].crossbar;
        let ways = self.ways_left.as_ref().unwrap_or(&self.ways);
        ways[from][to].is_some()
    }

    /// Time of a word from one place to another.
    pub(crate) fn delay(&self, from: Id<LoopPlace>, to: Id<LoopPlace>) -> Span {
        let strings = self.way(from, to).unwrap_or_default();
        let between: Span = strings
            .iter()
            .map(|&string| self.strings[string].delay)
            .sum();
        self.places[from].delay + between + self.places[to].delay
    }

    fn way(&self, from: Id<LoopPlace>, to: Id<LoopPlace>) -> Option<&[Id<LoopString>]> {
        let from = self.places[from].crossbar;
        let to = self.places[to].crossbar;
        self.ways[from][to].as_deref()
    }

    pub(crate) fn next_at(&self) -> Instant {
        self.alarms.first().0
    }

    pub(crate) fn next_place(&self) -> Id<LoopPlace> {
        Id::new(self.alarms.first().1)
    }

    /// A place wants a circuit to the partner of its first sequence.
    pub(crate) fn request(&mut self, place: Id<LoopPlace>, now: Instant) {
        if !self.waiting.iter().any(|wait| wait.place == place) {
            self.waiting.push_back(Wait { place, since: now });
        }
    }

    pub(crate) fn withdraw(&mut self, place: Id<LoopPlace>) {
        self.waiting.retain(|wait| wait.place != place);
    }

    /// Places that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = Id<LoopPlace>> {
        self.waiting.iter().map(|wait| wait.place)
    }

    /// Grant all requests that can be granted, and set the alarms of their wins.
    pub(crate) fn grant(
        &mut self,
        now: Instant,
        mut partner_of: impl FnMut(Id<LoopPlace>) -> Id<LoopPlace>,
    ) -> &[Id<LoopPlace>] {
        self.granted.clear();
        let mut index = 0;
        while index < self.waiting.len() {
            let Wait { place, since } = self.waiting[index];
            if self.places[place].is_busy || !self.take(place, partner_of(place)) {
                index += 1;
                continue;
            }
            self.waiting.remove(index);
            let delay = self.places[place].delay;
            // Its ARB reaches the crossbar and comes back, at once or when the way is free.
            let won_at = (since + delay * 2).max(now + delay);
            self.alarms.set(place.number(), won_at);
            self.granted.push(place);
        }
        &self.granted
    }

    /// Take ports and strings, all or none.
    fn take(&mut self, place: Id<LoopPlace>, partner: Id<LoopPlace>) -> bool {
        if self.places[partner].is_busy {
            return false;
        }
        let from = self.places[place].crossbar;
        let to = self.places[partner].crossbar;
        let way = self.ways[from][to].as_deref();
        let way = way.expect("a circuit between ports that a way joins");
        let is_free = |&string: &Id<LoopString>| self.taken[string] < self.strings[string].links;
        if !way.iter().all(is_free) {
            return false;
        }
        for &string in way {
            let taken = &mut self.taken[string];
            *taken += 1;
            let counted = &mut self.strings_counted[string];
            counted.circuits += 1;
            counted.most_held = counted.most_held.max(*taken);
        }
        self.places[place].is_busy = true;
        self.places[partner].is_busy = true;
        true
    }

    /// A circuit that was open so long is over.
    pub(crate) fn free(&mut self, place: Id<LoopPlace>, partner: Id<LoopPlace>, held: Span) {
        self.alarms.clear(place.number());
        self.places[place].is_busy = false;
        self.places[partner].is_busy = false;
        let from = self.places[place].crossbar;
        let to = self.places[partner].crossbar;
        for &string in self.ways[from][to].iter().flatten() {
            self.taken[string] -= 1;
            self.strings_counted[string].held += held;
        }
    }
}

/// Strings from one crossbar to another.
type Way = Vec<Id<LoopString>>;

/// Ways from each crossbar to each; `None` where they are not connected.
type Ways = IdVec<Crossbar, IdVec<Crossbar, Option<Way>>>;

/// Shortest ways from one crossbar to each, by breadth first.
fn ways_from(
    from: Id<Crossbar>,
    count: usize,
    strings: &[(Id<LoopString>, &LoopString)],
) -> IdVec<Crossbar, Option<Way>> {
    let mut ways = IdVec::filled(None, count);
    ways[from] = Some(Way::new());
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        let so_far = ways[at].clone().unwrap_or_default();
        for &(index, string) in strings {
            let (a, b) = string.between;
            let to = match at {
                at if at == a => b,
                at if at == b => a,
                _ => continue,
            };
            if ways[to].is_none() {
                let mut way = so_far.clone();
                way.push(index);
                ways[to] = Some(way);
                queue.push_back(to);
            }
        }
    }
    ways
}
