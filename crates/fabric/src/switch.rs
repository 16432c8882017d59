//! A switch: when it can forward a frame, and to which of its outputs.

use sanlab_kernel::{Id, IdVec, Span};

use crate::fibre::Fibre;
use crate::parts::SwitchPort;
use crate::qos::Class;
use crate::routing::{RoutePolicy, Routes};

/// What a switch waits for before it forwards a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// The header, where the output is not faster than the input; else the tail.
    CutThrough,
    /// The tail.
    StoreAndForward,
}

/// A switch with a port for each link and a crossbar between them.
#[derive(Clone, Debug)]
pub struct SwitchModel {
    /// What it waits for.
    pub forwarding: Forwarding,
    /// From there to the first bit out, when the output is free.
    pub latency: Span,
    /// Outputs towards each N_Port.
    pub routes: Routes,
    /// The fibre that leaves by each port.
    pub outputs: IdVec<SwitchPort, Option<Id<Fibre>>>,
    /// Classes its outputs tell apart.
    pub classes: IdVec<Class>,
    /// The class of frames that no policy names.
    pub shared_class: Id<Class>,
}

impl SwitchModel {
    /// A switch of this domain with so many ports, none of them connected.
    pub fn new(
        domain: u32,
        forwarding: Forwarding,
        latency: Span,
        policy: RoutePolicy,
        ports: usize,
    ) -> Self {
        Self {
            forwarding,
            latency,
            routes: Routes::new(policy, domain),
            outputs: IdVec::filled(None, ports),
            classes: IdVec::from(vec![Class {
                level: 0,
                weight: 1,
            }]),
            shared_class: Id::new(0),
        }
    }
}
