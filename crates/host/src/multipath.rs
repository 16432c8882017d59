//! A LUN as one host sees it, by one path or by several.

use sanlab_kernel::{Id, IdVec, Span};

use crate::request::Request;

/// How a host spreads its requests over the paths to a LUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spreading {
    /// All paths of the best group in turn, so many requests on each.
    RoundRobin(u32),
    /// The path of the best group with the fewest requests.
    LeastQueue,
    /// The first path of the best group, until it fails.
    OnePath,
}

/// What becomes of a request while no path is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPath {
    /// It fails.
    Fail,
    /// It waits.
    Queue,
}

/// What a host does with several paths.
#[derive(Clone, Copy, Debug)]
pub struct Multipath {
    /// Choice among paths.
    pub spreading: Spreading,
    /// Without a path.
    pub no_path: NoPath,
    /// From a better group's return to its use; `None` waits for the administrator.
    pub failback: Option<Span>,
}

/// State of a path as its host knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathState {
    /// Usable.
    Up,
    /// Lost a while ago: commands wait for it.
    Blocked,
    /// Lost for good: commands fail at once.
    Failed,
}

/// A path of a device, among its own.
#[derive(Debug)]
pub enum DevicePath {}

const FIRST: Id<DevicePath> = Id::new(0);

/// Paths of a device that are alike; the lower its number, the better.
#[derive(Debug)]
pub enum PathGroup {}

/// A LUN of one host with its paths.
#[derive(Clone, Debug)]
pub struct Device {
    /// Group of each path: the lower, the better.
    pub groups: IdVec<DevicePath, Id<PathGroup>>,
    /// The group in use.
    pub group: Id<PathGroup>,
    /// What is done with several; none with one.
    pub multipath: Option<Multipath>,
    /// Requests that wait for any path.
    pub held: Vec<Id<Request>>,
    turn: Id<DevicePath>,
    left: u32,
}

impl Device {
    /// A device whose paths belong to these groups.
    pub fn new(groups: IdVec<DevicePath, Id<PathGroup>>, multipath: Option<Multipath>) -> Self {
        let group = groups.iter().copied().min().unwrap_or(Id::new(0));
        Self {
            groups,
            group,
            multipath,
            held: Vec::new(),
            turn: FIRST,
            left: 0,
        }
    }

    /// The path of the next request, of the group in use; none if all of it have failed. One that is
    /// blocked is taken like any other: commands wait for it until it has failed, and only then does
    /// the layer above learn of it.
    ///
    /// `state` and `load` (requests it has) are asked of a path.
    pub fn choose(
        &mut self,
        state: impl Fn(Id<DevicePath>) -> PathState,
        load: impl Fn(Id<DevicePath>) -> usize,
    ) -> Option<Id<DevicePath>> {
        let Some(multipath) = self.multipath else {
            return (state(FIRST) != PathState::Failed).then_some(FIRST);
        };
        let is_usable = |&path: &Id<DevicePath>| {
            self.groups[path] == self.group && state(path) != PathState::Failed
        };
        let up: Vec<_> = self.groups.ids().filter(is_usable).collect();
        let first = *up.first()?;
        let chosen = match multipath.spreading {
            Spreading::OnePath => first,
            Spreading::LeastQueue => up.iter().copied().min_by_key(|&path| load(path))?,
            Spreading::RoundRobin(count) => {
                if self.left == 0 || !up.contains(&self.turn) {
                    let after = up.iter().copied().find(|&path| path > self.turn);
                    self.turn = after.unwrap_or(first);
                    self.left = count.max(1);
                }
                self.left -= 1;
                self.turn
            }
        };
        Some(chosen)
    }

    /// Whether its requests go over this path now: of the group in use, and with one path the first left.
    pub fn uses(&self, path: Id<DevicePath>, state: impl Fn(Id<DevicePath>) -> PathState) -> bool {
        let is_usable = |path: Id<DevicePath>| {
            self.groups[path] == self.group && state(path) != PathState::Failed
        };
        let is_one = self
            .multipath
            .is_some_and(|policy| policy.spreading == Spreading::OnePath);
        is_usable(path)
            && (!is_one || self.groups.ids().find(|&first| is_usable(first)) == Some(path))
    }

    /// Paths belong to other groups now; the group in use stays the one of the paths in use.
    pub fn regroup(&mut self, groups: IdVec<DevicePath, Id<PathGroup>>) {
        let in_use = self
            .groups
            .ids()
            .find(|&path| self.groups[path] == self.group);
        self.group = in_use.map_or(self.group, |path| groups[path]);
        self.groups = groups;
    }

    /// The best group with a path that is not lost for good.
    pub fn best_group(&self, state: impl Fn(Id<DevicePath>) -> PathState) -> Option<Id<PathGroup>> {
        let paths = self.groups.ids();
        let alive = paths.filter(|&path| state(path) != PathState::Failed);
        alive.map(|path| self.groups[path]).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(spreading: Spreading, groups: &[u32]) -> Device {
        let multipath = Multipath {
            spreading,
            no_path: NoPath::Fail,
            failback: Some(Span::ZERO),
        };
        let groups = groups.iter().copied().map(Id::new);
        Device::new(groups.collect(), Some(multipath))
    }

    fn choices(device: &mut Device, states: &[PathState], count: usize) -> Vec<Option<usize>> {
        let state = |path: Id<DevicePath>| states[path.place()];
        let load = |path: Id<DevicePath>| 10 - path.place();
        (0..count)
            .map(|_| device.choose(state, load).map(Id::place))
            .collect()
    }

    use PathState::{Blocked, Failed, Up};

    #[test]
    fn round_robin_stays_so_many_requests_on_a_path() {
        let mut two = device(Spreading::RoundRobin(2), &[0, 0, 0]);
        let order = choices(&mut two, &[Up, Up, Up], 7);
        assert_eq!(order, [1, 1, 2, 2, 0, 0, 1].map(Some));
        let order = choices(&mut two, &[Up, Failed, Up], 4);
        assert_eq!(order, [2, 2, 0, 0].map(Some));
    }

    #[test]
    fn the_shortest_queue_or_the_first_path_is_taken() {
        let mut least = device(Spreading::LeastQueue, &[0, 0, 0]);
        assert_eq!(choices(&mut least, &[Up, Up, Failed], 1), [Some(1)]);
        assert_eq!(choices(&mut least, &[Up, Up, Blocked], 1), [Some(2)]);
        let mut one = device(Spreading::OnePath, &[0, 0]);
        assert_eq!(choices(&mut one, &[Up, Up], 2), [Some(0), Some(0)]);
        assert_eq!(choices(&mut one, &[Failed, Up], 1), [Some(1)]);
        assert!(one.uses(Id::new(0), |_| Up) && !one.uses(Id::new(1), |_| Up));
    }

    /// A worse group serves only when the better one has failed; a blocked path is still used.
    #[test]
    fn groups_are_used_one_after_the_other() {
        let mut device = device(Spreading::RoundRobin(1), &[0, 1]);
        assert_eq!(choices(&mut device, &[Blocked, Up], 1), [Some(0)]);
        assert_eq!(choices(&mut device, &[Failed, Up], 1), [None]);
        assert_eq!(
            device.best_group(|path| [Failed, Up][path.place()]),
            Some(Id::new(1))
        );
        let uses =
            |device: &Device, place| device.uses(Id::new(place), |path| [Failed, Up][path.place()]);
        assert!(!uses(&device, 0) && !uses(&device, 1));
        device.group = Id::new(1);
        assert!(!uses(&device, 0) && uses(&device, 1));
        assert_eq!(choices(&mut device, &[Failed, Up], 1), [Some(1)]);
        assert_eq!(device.best_group(|_| Failed), None);
    }
}
