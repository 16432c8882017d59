//! Shares.

use serde::{Deserialize, Serialize};

/// A share of at most the whole, in parts per million.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(try_from = "u32", into = "u32")]
pub struct Ppm(u32);

impl Ppm {
    /// The whole.
    pub const WHOLE: u32 = 1_000_000;

    /// The parts per million.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Ppm {
    type Error = String;

    fn try_from(share: u32) -> Result<Self, Self::Error> {
        if share <= Self::WHOLE {
            Ok(Self(share))
        } else {
            Err(format!("{share} ppm is more than the whole"))
        }
    }
}

impl From<Ppm> for u32 {
    fn from(share: Ppm) -> Self {
        share.0
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ppm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ppm".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer", "format": "uint32", "minimum": 0, "maximum": Self::WHOLE
        })
    }
}
