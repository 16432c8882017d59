//! Sizes of frames.

/// SOF 4, header 24, CRC 4, EOF 4 (FC-FS).
pub const FRAME_OVERHEAD_BYTES: u32 = 36;
/// SOF and header: what a cut-through switch must have seen to choose the output.
pub const HEADER_IN_BYTES: u64 = 28;
/// A primitive signal, such as R_RDY, is one transmission word.
pub const PRIMITIVE_BYTES: u64 = 4;

/// Bytes from SOF to EOF of a frame with this payload, which is padded to whole words.
///
/// ```
/// assert_eq!(sanlab_fc::wire_bytes(2112), 2148);
/// assert_eq!(sanlab_fc::wire_bytes(0), 36);
/// assert_eq!(sanlab_fc::wire_bytes(29), 36 + 32);
/// ```
#[inline]
pub fn wire_bytes(payload: u32) -> u32 {
    payload.next_multiple_of(4) + FRAME_OVERHEAD_BYTES
}
