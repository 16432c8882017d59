//! Which output a frame leaves a switch by.

use sanlab_fc::Frame;
use sanlab_kernel::id_of;

/// How a switch chooses among equal-cost paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutePolicy {
    /// The first.
    OnePath,
    /// By the port the frame came in by.
    IngressPort,
    /// By source and destination.
    SourceDestination,
    /// By source, destination and exchange.
    Exchange,
}

/// The outputs of one switch towards every N_Port.
#[derive(Clone, Debug)]
pub struct Routes {
    policy: RoutePolicy,
    /// For each N_Port the first of its fibres in `fibres` and their number.
    towards: Vec<(u32, u32)>,
    fibres: Vec<u32>,
}

impl Routes {
    /// No routes yet.
    pub fn new(policy: RoutePolicy) -> Self {
        Self {
            policy,
            towards: Vec::new(),
            fibres: Vec::new(),
        }
    }

    /// The outputs to the next N_Port, in their order of preference; all cost the same.
    pub fn add(&mut self, fibres: &[u32]) {
        self.towards
            .push((id_of(self.fibres.len()), id_of(fibres.len())));
        self.fibres.extend(fibres);
    }

    /// The equal-cost outputs towards an N_Port.
    pub fn towards(&self, n_port: u32) -> &[u32] {
        let (first, count) = self.towards[n_port as usize];
        &self.fibres[first as usize..(first + count) as usize]
    }

    /// The output of this frame; `addresses` are those of the N_Ports.
    #[inline(always)]
    pub fn output(&self, frame: &Frame, input: u32, addresses: &[u32]) -> u32 {
        let (first, count) = self.towards[frame.destination as usize];
        let choice = if count == 1 {
            0
        } else {
            self.choose(frame, input, addresses) % count
        };
        self.fibres[(first + choice) as usize]
    }

    fn choose(&self, frame: &Frame, input: u32, addresses: &[u32]) -> u32 {
        let s_id = addresses[frame.source as usize];
        let d_id = addresses[frame.destination as usize];
        match self.policy {
            RoutePolicy::OnePath => 0,
            RoutePolicy::IngressPort => input,
            RoutePolicy::SourceDestination => hash(s_id, d_id, 0),
            RoutePolicy::Exchange => hash(s_id, d_id, u32::from(frame.ox_id)),
        }
    }
}

/// The same for both directions of a conversation, as switches hash them.
fn hash(s_id: u32, d_id: u32, exchange: u32) -> u32 {
    let pair = u64::from(s_id ^ d_id) << 32 | u64::from(s_id.wrapping_add(d_id));
    let mixed = (pair ^ u64::from(exchange) << 13).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as u32
}
