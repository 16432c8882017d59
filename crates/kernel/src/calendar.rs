//! Days of later entries, each taken up as a whole.

/// Days that are planned at once.
const DAYS: usize = 1024;

/// What is due later, sorted by days only: to put an entry down or to take it up costs the same whatever their
/// number. Times are whole numbers of any unit.
#[derive(Debug)]
pub(crate) struct Calendar<T> {
    days: Vec<Vec<T>>,
    /// The next day to be taken up.
    today: usize,
    /// The first one begins then.
    begins: u64,
    /// How long a day lasts.
    day: u64,
    /// What is due after the last day.
    beyond: Vec<T>,
    len: usize,
}

impl<T> Default for Calendar<T> {
    fn default() -> Self {
        Self {
            days: Vec::new(),
            today: 0,
            begins: 0,
            day: 1,
            beyond: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Calendar<T> {
    /// Entries that have not been taken up.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Plan for these entries, at least one. Nothing is left from before.
    pub(crate) fn plan(&mut self, entries: Vec<T>, due: impl Fn(&T) -> u64) {
        debug_assert!(self.len == 0 && !entries.is_empty());
        self.len = entries.len();
        self.beyond = entries;
        self.plan_on(due);
    }

    /// Put an entry down that is due when the days have begun that were not taken up, or later.
    #[inline]
    pub(crate) fn put(&mut self, entry: T, at: u64) {
        self.len += 1;
        let day = (at - self.begins) / self.day;
        match usize::try_from(day)
            .ok()
            .and_then(|day| self.days.get_mut(day))
        {
            Some(entries) => entries.push(entry),
            None => self.beyond.push(entry),
        }
    }

    /// Take up the next day that has entries into an empty list; some day has. Returns its end.
    pub(crate) fn take_day(&mut self, into: &mut Vec<T>, due: impl Fn(&T) -> u64) -> u64 {
        loop {
            while self.today < self.days.len() {
                let entries = &mut self.days[self.today];
                self.today += 1;
                if !entries.is_empty() {
                    self.len -= entries.len();
                    // The list of a day keeps its memory, for the day that gets this place next.
                    into.append(entries);
                    let days = self.day.saturating_mul(self.today as u64);
                    return self.begins.saturating_add(days);
                }
            }
            self.plan_on(&due);
        }
    }

    /// The days go on from the first entry beyond the last to the one before which three quarters are due: a
    /// few that are due much later do not make the days long.
    fn plan_on(&mut self, due: impl Fn(&T) -> u64) {
        let mut entries = std::mem::take(&mut self.beyond);
        let most = entries.len() - 1;
        let (_, late, _) = entries.select_nth_unstable_by_key(most - most / 4, &due);
        let late = due(late);
        self.begins = entries.iter().map(&due).min().unwrap_or(late);
        self.day = (late - self.begins) / DAYS as u64 + 1;
        self.today = 0;
        self.days.resize_with(DAYS, Vec::new);
        self.len -= entries.len();
        for &entry in &entries {
            self.put(entry, due(&entry));
        }
    }
}
