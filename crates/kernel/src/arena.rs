//! Records named by small ids, with their places used again.

/// The id of nothing.
pub const NONE: u32 = u32::MAX;

/// The id of what has this place in its vector.
///
/// ```
/// assert_eq!(sanlab_kernel::id_of(7), 7);
/// ```
#[inline]
pub fn id_of(place: usize) -> u32 {
    u32::try_from(place).expect("fewer than 2^32 parts of a kind")
}

/// A store of records that are made and freed all the time: no allocation once it has grown to the
/// largest number alive at once.
#[derive(Clone, Debug)]
pub struct Arena<T> {
    records: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Arena<T> {
    /// Keep a record; its id holds until [`Arena::remove`].
    #[inline]
    pub fn insert(&mut self, record: T) -> u32 {
        if let Some(id) = self.free.pop() {
            self.records[id as usize] = record;
            id
        } else {
            self.records.push(record);
            id_of(self.records.len() - 1)
        }
    }

    /// Free a record's place. The record stays readable until the place is used again.
    #[inline]
    pub fn remove(&mut self, id: u32) {
        self.free.push(id);
    }

    /// Records alive.
    pub fn alive(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// Most records that were alive at once.
    pub fn peak(&self) -> usize {
        self.records.len()
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;
    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.records[id as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.records[id as usize]
    }
}
