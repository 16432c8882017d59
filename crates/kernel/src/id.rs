//! Names of parts: small numbers that say what they are numbers of.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The number of a `T` among its kind. The compiler refuses the id of a fibre, or a count, where the id of a switch
/// is expected.
///
/// ```
/// use sanlab_kernel::{Id, IdVec};
/// struct Disk(&'static str);
/// let mut disks = IdVec::default();
/// let first: Id<Disk> = disks.push(Disk("first"));
/// assert_eq!((disks[first].0, first.number()), ("first", 0));
/// ```
#[repr(transparent)]
pub struct Id<T> {
    number: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// The one with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self {
            number,
            kind: PhantomData,
        }
    }

    /// The one in this place of a list.
    #[inline]
    pub fn from_place(place: usize) -> Self {
        Self::new(u32::try_from(place).expect("fewer than 2^32 parts of a kind"))
    }

    /// Its number, for what knows no kinds: tables, and the order of events.
    #[inline]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Its place in a list of all.
    #[inline]
    pub const fn place(self) -> usize {
        self.number as usize
    }

    /// The same part as a `U`: where two models describe one part, and both number it alike.
    #[inline]
    pub const fn same<U>(self) -> Id<U> {
        Id::new(self.number)
    }
}

// Derived ones would ask the same of `T`.
impl<T> Clone for Id<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number.cmp(&other.number)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = std::any::type_name::<T>();
        let name = path.rsplit("::").next().unwrap_or(path);
        write!(f, "{name} {}", self.number)
    }
}

/// An id or none, in the four bytes of an id: for records that are made for every frame or command.
/// Elsewhere `Option<Id<T>>` says the same.
///
/// ```
/// use sanlab_kernel::{Id, MaybeId};
/// let missing = MaybeId::<()>::NONE;
/// assert_eq!(missing.get(), None);
/// assert_eq!(MaybeId::from(Id::<()>::new(7)).get(), Some(Id::new(7)));
/// ```
#[repr(transparent)]
pub struct MaybeId<T>(Id<T>);

impl<T> MaybeId<T> {
    /// No id.
    pub const NONE: Self = Self(Id::new(u32::MAX));

    /// The id, if there is one.
    #[inline]
    pub fn get(self) -> Option<Id<T>> {
        self.is_some().then_some(self.0)
    }

    /// The id of one that is there for certain, without a look: only debug builds check.
    #[inline]
    pub fn certain(self) -> Id<T> {
        debug_assert!(self.is_some(), "no id where there is one for certain");
        self.0
    }

    /// Whether there is an id.
    #[inline]
    pub fn is_some(self) -> bool {
        self.0.number != u32::MAX
    }

    /// Whether the id is missing.
    #[inline]
    pub fn is_none(self) -> bool {
        !self.is_some()
    }
}

impl<T> From<Id<T>> for MaybeId<T> {
    #[inline]
    fn from(id: Id<T>) -> Self {
        Self(id)
    }
}

impl<T> From<Option<Id<T>>> for MaybeId<T> {
    #[inline]
    fn from(id: Option<Id<T>>) -> Self {
        id.map_or(Self::NONE, Self)
    }
}

impl<T> Clone for MaybeId<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MaybeId<T> {}
impl<T> Default for MaybeId<T> {
    fn default() -> Self {
        Self::NONE
    }
}
impl<T> PartialEq for MaybeId<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for MaybeId<T> {}
impl<T> fmt::Debug for MaybeId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Some(id) => id.fmt(f),
            None => f.write_str("none"),
        }
    }
}

/// One value for each `K`, in order of their ids: the parts themselves, or something about them.
///
/// ```
/// use sanlab_kernel::{Id, IdVec};
/// enum Switch {}
/// let mut latencies: IdVec<Switch, u64> = IdVec::from(vec![700, 2100]);
/// latencies[Id::new(1)] += 50;
/// assert_eq!(latencies.pairs().last(), Some((Id::new(1), &2150)));
/// ```
pub struct IdVec<K, V = K> {
    values: Vec<V>,
    kind: PhantomData<fn() -> K>,
}

impl<K, V> IdVec<K, V> {
    /// An empty list.
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            kind: PhantomData,
        }
    }

    /// The same value for this many.
    pub fn filled(value: V, count: usize) -> Self
    where
        V: Clone,
    {
        Self::from(vec![value; count])
    }

    /// One more at the end; its id.
    #[inline]
    pub fn push(&mut self, value: V) -> Id<K> {
        let id = self.next_id();
        self.values.push(value);
        id
    }

    /// The id that the next one gets.
    #[inline]
    pub fn next_id(&self) -> Id<K> {
        Id::from_place(self.values.len())
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the list has no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Ids of all, in their order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<K>> + ExactSizeIterator + use<K, V> {
        (0..self.next_id().number).map(Id::new)
    }

    /// All values, in order of their ids.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// All values to change, in order of their ids.
    #[inline]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// Ids and values.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (Id<K>, &V)> + ExactSizeIterator {
        self.ids().zip(&self.values)
    }

    /// Ids and values to change.
    pub fn pairs_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (Id<K>, &mut V)> + ExactSizeIterator {
        self.ids().zip(&mut self.values)
    }

    /// The value of an id, if the list reaches so far.
    #[inline]
    pub fn get(&self, id: Id<K>) -> Option<&V> {
        self.values.get(id.place())
    }

    /// The value of an id to change, if the list reaches so far.
    #[inline]
    pub fn get_mut(&mut self, id: Id<K>) -> Option<&mut V> {
        self.values.get_mut(id.place())
    }

    /// The values of two different ids, to change.
    pub fn two_mut(&mut self, a: Id<K>, b: Id<K>) -> (&mut V, &mut V) {
        let [a, b] = self
            .values
            .get_disjoint_mut([a.place(), b.place()])
            .expect("two different ids of this list");
        (a, b)
    }

    /// The values as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[V] {
        &self.values
    }

    /// The values, without their ids.
    pub fn into_vec(self) -> Vec<V> {
        self.values
    }
}

impl<K, V> From<Vec<V>> for IdVec<K, V> {
    fn from(values: Vec<V>) -> Self {
        Self {
            values,
            kind: PhantomData,
        }
    }
}

impl<K, V> FromIterator<V> for IdVec<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::from(Vec::from_iter(values))
    }
}

impl<K, V> Extend<V> for IdVec<K, V> {
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

impl<K, V> IntoIterator for IdVec<K, V> {
    type Item = V;
    type IntoIter = std::vec::IntoIter<V>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a IdVec<K, V> {
    type Item = &'a V;
    type IntoIter = std::slice::Iter<'a, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut IdVec<K, V> {
    type Item = &'a mut V;
    type IntoIter = std::slice::IterMut<'a, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter_mut()
    }
}

impl<K, V> Index<Id<K>> for IdVec<K, V> {
    type Output = V;
    #[inline]
    #[track_caller]
    fn index(&self, id: Id<K>) -> &V {
        &self.values[id.place()]
    }
}

impl<K, V> IndexMut<Id<K>> for IdVec<K, V> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: Id<K>) -> &mut V {
        &mut self.values[id.place()]
    }
}

impl<K, V> Default for IdVec<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V: Clone> Clone for IdVec<K, V> {
    fn clone(&self) -> Self {
        Self::from(self.values.clone())
    }
}

impl<K, V: fmt::Debug> fmt::Debug for IdVec<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<K, V: PartialEq> PartialEq for IdVec<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}
