//! Loops of a plan become loops of the network.

use sanlab_fabric::{
    Fibre, FlPort, Loop, LoopFault, LoopPortSettings, LoopString, Medium, NetworkBuilder,
    SharedLoop, Sink, Source, SwitchedLoop,
};
use sanlab_fc::{LoopAccess, LoopBuffers, LoopPlace, PRIMITIVE_BYTES};
use sanlab_kernel::{Id, Instant, Rate, Span};

use crate::plan::{LoopActionPlan, LoopFaultPlan, LoopPlan, LoopPortPlan, MediumPlan, StringPlan};

/// What happens to a loop, and to which.
pub(crate) fn fault_of(fault: &LoopFaultPlan) -> (Id<Loop>, LoopFault) {
    let action = match &fault.action {
        LoopActionPlan::Stop { until_ps } => LoopFault::Stop {
            until: Instant::from_ps(*until_ps),
        },
        LoopActionPlan::Remove { places } => LoopFault::Remove(ids_of(places)),
        LoopActionPlan::Insert { places } => LoopFault::Insert(ids_of(places)),
        LoopActionPlan::Cut {
            first,
            end,
            above_ps,
            below_ps,
        } => LoopFault::Cut {
            first: Id::new(*first),
            end: Id::new(*end),
            above: Span::from_ps(*above_ps),
            below: Span::from_ps(*below_ps),
        },
        LoopActionPlan::Darken { crossbar } => LoopFault::Darken(Id::new(*crossbar)),
    };
    (Id::new(fault.loop_id), action)
}

fn ids_of(places: &[u32]) -> Vec<Id<LoopPlace>> {
    places.iter().copied().map(Id::new).collect()
}

/// The FL_Port of a loop, among the ports of all loops.
pub(crate) fn fl_port_of(loops: &[LoopPlan], loop_id: u32) -> Id<FlPort> {
    let before: usize = (loops.iter().take(loop_id as usize))
        .map(|of| of.ports.len())
        .sum();
    let ports = &loops[loop_id as usize].ports;
    let place = ports.iter().position(|port| port.n_port.is_none());
    Id::from_place(before + place.expect("a loop with a link to a switch has an FL_Port"))
}

/// Add a loop with its ports.
pub(crate) fn add_loop(builder: &mut NetworkBuilder, of: &LoopPlan) {
    let rate = Rate::from(of.bytes_per_s);
    let first_fibre = builder.fibres.len() + builder.loop_fibres.len();
    let first_port = builder.loops.ports.next_id().number();
    for (place, port) in (first_port..).zip(&of.ports) {
        // It has no far end of its own, and credit is that of its circuits. An FL_Port sends by the
        // link to its switch.
        let (source, sink) = match port.n_port.map(Id::new) {
            Some(id) => (Source::NPort(id), Sink::NPort(id)),
            None => (Source::Loop(Id::new(place)), Sink::Loop(Id::new(place))),
        };
        let fibre = Fibre::new(source, sink, rate, of.gap_bytes, Span::ZERO, 1);
        builder.loop_fibres.push(fibre);
    }
    let settings: Vec<_> = of.ports.iter().map(loop_port_of).collect();
    let medium = match &of.medium {
        MediumPlan::Shared {} => Medium::Shared(shared_loop_of(of, rate)),
        MediumPlan::Switched { crossbars, strings } => {
            let crossbars = u32::try_from(crossbars.len()).expect("few");
            Medium::Switched(switched_loop_of(of, crossbars, strings))
        }
    };
    let fibre = Id::from_place(first_fibre);
    builder
        .loops
        .add(medium, rate, of.gap_bytes, &settings, fibre);
}

fn loop_port_of(port: &LoopPortPlan) -> LoopPortSettings {
    LoopPortSettings {
        n_port: port.n_port.map(Id::new).into(),
        is_public: port.is_public,
        buffers: LoopBuffers {
            login: port.login_credit,
            buffers: port.buffers.get(),
        },
        is_full_duplex: port.is_full_duplex,
        tenancy_frames: port.tenancy_frames.get(),
        repeat: Span::from_ps(port.repeat_ps),
    }
}

fn shared_loop_of(of: &LoopPlan, rate: Rate) -> SharedLoop {
    let steps = of.ports.iter();
    let steps = steps
        .map(|port| Span::from_ps(port.delay_ps.get()))
        .collect();
    let access: Vec<_> = of
        .ports
        .iter()
        .map(|port| LoopAccess {
            al_pa: port.al_pa,
            is_fair: port.is_fair,
            uses_transfer: port.uses_transfer,
        })
        .collect();
    SharedLoop::new(steps, rate.time_for(PRIMITIVE_BYTES), &access)
}

fn switched_loop_of(of: &LoopPlan, crossbars: u32, strings: &[StringPlan]) -> SwitchedLoop {
    let places: Vec<_> = of
        .ports
        .iter()
        .map(|port| (Id::new(port.crossbar), Span::from_ps(port.delay_ps.get())))
        .collect();
    let strings = strings
        .iter()
        .map(|string| LoopString {
            between: (Id::new(string.a), Id::new(string.b)),
            links: string.links.get(),
            delay: Span::from_ps(string.delay_ps),
        })
        .collect();
    SwitchedLoop::new(crossbars, &places, strings)
}
