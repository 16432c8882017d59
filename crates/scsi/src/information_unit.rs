//! Sizes of the information units of FCP.

/// FCP_CMND with a 16-byte CDB (FCP-4).
pub const FCP_CMND_BYTES: u32 = 32;
/// FCP_XFER_RDY: offset, burst length, reserved word.
pub const FCP_XFER_RDY_BYTES: u32 = 12;
/// FCP_RSP without sense data.
pub const FCP_RSP_BYTES: u32 = 24;
