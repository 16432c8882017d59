//! Columns with names, as they leave the simulator.

/// Values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Counts, bytes, picoseconds.
    Whole(Vec<u64>),
    /// Ratios and means.
    Real(Vec<f64>),
    /// Names.
    Text(Vec<String>),
}

/// A table: columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name, also that of its file.
    pub name: &'static str,
    /// Column names, which end in the unit, and values.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// A table of these columns.
    pub fn new(name: &'static str, columns: Vec<(&'static str, Column)>) -> Self {
        let table = Self { name, columns };
        debug_assert!(
            table
                .columns
                .windows(2)
                .all(|pair| pair[0].1.len() == pair[1].1.len())
        );
        table
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, column)| column)
    }
}

impl Column {
    /// Values.
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A column of whole numbers, made from rows.
    pub fn whole<R>(rows: &[R], value: impl Fn(&R) -> u64) -> Self {
        Self::Whole(rows.iter().map(value).collect())
    }

    /// A column of real numbers, made from rows.
    pub fn real<R>(rows: &[R], value: impl Fn(&R) -> f64) -> Self {
        Self::Real(rows.iter().map(value).collect())
    }

    /// A column of names, made from rows.
    pub fn text<R>(rows: &[R], value: impl Fn(&R) -> String) -> Self {
        Self::Text(rows.iter().map(value).collect())
    }
}
