//! Logins and name-server requests as bits: extended link services by FC-LS, common transport by FC-GS.
//!
//! Each is one frame each way. Fields that nothing here depends on are 0, as drivers of hosts leave
//! them.

/// Address of the F_Port that takes logins of the fabric (FC-FS, "Well-known addresses").
pub const FABRIC_LOGIN: u32 = 0xff_fffe;
/// Address of the name server.
pub const NAME_SERVER: u32 = 0xff_fffc;
/// Address of the fabric controller.
pub const FABRIC_CONTROLLER: u32 = 0xff_fffd;

const ELS: u8 = 0x01;
const CT: u8 = 0x20;
const FCP: u8 = 0x08;
const LS_ACC: u8 = 0x02;
/// First sequence, end of sequence, transfer of the initiative.
const REQUEST_CONTROL: u32 = 0x29_0000;
/// From the responder, last sequence, end of sequence.
const ANSWER_CONTROL: u32 = 0x98_0000;
/// Payload of a full data frame, as logins state it.
const RECEIVE_BYTES: u16 = 2048;

/// A request to a service, or to another port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// FLOGI: login to the fabric.
    FabricLogin,
    /// FDISC: login of a virtual port, which asks for one more address.
    VirtualLogin,
    /// PLOGI: login to a port, or to a service.
    PortLogin,
    /// PRLI: login to FCP at a port.
    ProcessLogin,
    /// LOGO: a port takes its login back.
    Logout,
    /// ADISC: is the port at this address still the same?
    AddressDiscovery,
    /// SCR: the port registers for notifications of changes.
    StateChangeRegistration,
    /// RSCN: something has changed at these addresses.
    StateChange,
    /// RFT_ID: register that the port speaks FCP.
    RegisterTypes,
    /// RFF_ID: register whether it is an initiator or a target.
    RegisterFeatures,
    /// RSPN_ID: register the symbolic name of the port.
    RegisterPortName,
    /// RSNN_NN: register the symbolic name of the node.
    RegisterNodeName,
    /// GID_FT: which ports speak FCP?
    GetPorts,
}

/// One end of a request.
#[derive(Clone, Debug, Default)]
pub struct Party {
    /// Its address; of a service its well-known one.
    pub fc_id: u32,
    /// World-wide port name.
    pub wwpn: u64,
    /// World-wide node name.
    pub wwnn: u64,
    /// Symbolic name of the port.
    pub port_name: String,
    /// Symbolic name of the node.
    pub node_name: String,
    /// Receive buffers it grants.
    pub bb_credit: u16,
    /// It is the target of commands.
    pub is_target: bool,
}

/// Time-outs of the fabric in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct TimeOuts {
    /// E_D_TOV.
    pub e_d_tov: u32,
    /// R_A_TOV.
    pub r_a_tov: u32,
}

/// A frame of a service: what it says beyond its exchange ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceFrame {
    /// R_CTL.
    pub r_ctl: u8,
    /// TYPE.
    pub fc_type: u8,
    /// F_CTL.
    pub f_ctl: u32,
    /// Address it comes from.
    pub s_id: u32,
    /// Address it goes to.
    pub d_id: u32,
    /// Payload, in whole words.
    pub payload: Vec<u8>,
}

impl Verb {
    /// The well-known address it goes to; none of what goes to the other port itself.
    pub fn service(self) -> Option<u32> {
        match self {
            Self::FabricLogin | Self::VirtualLogin => Some(FABRIC_LOGIN),
            Self::StateChangeRegistration => Some(FABRIC_CONTROLLER),
            Self::RegisterTypes
            | Self::RegisterFeatures
            | Self::RegisterPortName
            | Self::RegisterNodeName
            | Self::GetPorts => Some(NAME_SERVER),
            _ => None,
        }
    }

    fn is_common_transport(self) -> bool {
        self.service() == Some(NAME_SERVER)
    }
}

/// The frame of a request. `ports` are the addresses in an RSCN.
pub fn request(
    verb: Verb,
    from: &Party,
    to: &Party,
    ports: &[u32],
    times: TimeOuts,
) -> ServiceFrame {
    let has_no_address = matches!(verb, Verb::FabricLogin | Verb::VirtualLogin);
    let (r_ctl, fc_type) = if verb.is_common_transport() {
        (0x02, CT)
    } else {
        (0x22, ELS)
    };
    ServiceFrame {
        r_ctl,
        fc_type,
        f_ctl: REQUEST_CONTROL,
        s_id: if has_no_address { 0 } else { from.fc_id },
        d_id: verb.service().unwrap_or(to.fc_id),
        payload: request_payload(verb, from, ports, times),
    }
}

/// The frame that agrees. `ports` are the addresses that GID_FT asked for.
pub fn answer(
    verb: Verb,
    asker: &Party,
    answerer: &Party,
    ports: &[u32],
    times: TimeOuts,
) -> ServiceFrame {
    let (r_ctl, fc_type) = if verb.is_common_transport() {
        (0x03, CT)
    } else {
        (0x23, ELS)
    };
    ServiceFrame {
        r_ctl,
        fc_type,
        f_ctl: ANSWER_CONTROL,
        s_id: verb.service().unwrap_or(answerer.fc_id),
        d_id: asker.fc_id,
        payload: answer_payload(verb, answerer, ports, times),
    }
}

fn request_payload(verb: Verb, from: &Party, ports: &[u32], times: TimeOuts) -> Vec<u8> {
    match verb {
        Verb::FabricLogin => login(0x04, from, Kind::AskFabric, times),
        Verb::VirtualLogin => login(0x51, from, Kind::AskFabric, times),
        Verb::PortLogin => login(0x03, from, Kind::Port, times),
        Verb::ProcessLogin => process_login([0x20, 0x10], 0x2000, from.is_target),
        Verb::Logout => logout(from),
        Verb::AddressDiscovery => address_discovery(0x52, from),
        Verb::StateChangeRegistration => vec![0x62, 0, 0, 0, 0, 0, 0, 0x03],
        Verb::StateChange => state_change(ports),
        Verb::RegisterTypes => register_types(from),
        Verb::RegisterFeatures => register_features(from),
        Verb::RegisterPortName => {
            let mut out = ct(0x0218);
            out.extend(from.fc_id.to_be_bytes());
            symbolic_name(&from.port_name, &mut out);
            out
        }
        Verb::RegisterNodeName => {
            let mut out = ct(0x0239);
            out.extend(from.wwnn.to_be_bytes());
            symbolic_name(&from.node_name, &mut out);
            out
        }
        Verb::GetPorts => {
            let mut out = ct(0x0171);
            out.extend([0, 0, 0, FCP]);
            out
        }
    }
}

fn answer_payload(verb: Verb, by: &Party, ports: &[u32], times: TimeOuts) -> Vec<u8> {
    match verb {
        Verb::FabricLogin | Verb::VirtualLogin => login(LS_ACC, by, Kind::FabricAgrees, times),
        Verb::PortLogin => login(LS_ACC, by, Kind::Port, times),
        Verb::ProcessLogin => process_login([LS_ACC, 0x10], 0x2100, by.is_target),
        Verb::AddressDiscovery => address_discovery(LS_ACC, by),
        Verb::Logout | Verb::StateChangeRegistration | Verb::StateChange => {
            vec![LS_ACC, 0, 0, 0]
        }
        Verb::GetPorts => ports_found(ports),
        Verb::RegisterTypes
        | Verb::RegisterFeatures
        | Verb::RegisterPortName
        | Verb::RegisterNodeName => ct(0x8002),
    }
}

/// Whose service parameters a login carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    AskFabric,
    FabricAgrees,
    Port,
}

/// A login: common service parameters, names, and those of class 3, the only one in use.
fn login(command: u8, party: &Party, kind: Kind, times: TimeOuts) -> Vec<u8> {
    const CONTINUOUS_OFFSET: u16 = 0x8000;
    const IS_FABRIC: u16 = 0x1000;
    let mut out = vec![command, 0, 0, 0, 0x20, 0x20];
    out.extend(party.bb_credit.to_be_bytes());
    let features = match kind {
        Kind::AskFabric => 0,
        Kind::FabricAgrees => IS_FABRIC,
        Kind::Port => CONTINUOUS_OFFSET,
    };
    out.extend(features.to_be_bytes());
    out.extend(RECEIVE_BYTES.to_be_bytes());
    match kind {
        Kind::AskFabric => out.extend([0; 8]),
        Kind::FabricAgrees => {
            out.extend(times.r_a_tov.to_be_bytes());
            out.extend(times.e_d_tov.to_be_bytes());
        }
        Kind::Port => {
            // Concurrent sequences, and relative offset for every category of information.
            out.extend([0, 0xff, 0, 0x1f]);
            out.extend(times.e_d_tov.to_be_bytes());
        }
    }
    out.extend(party.wwpn.to_be_bytes());
    out.extend(party.wwnn.to_be_bytes());
    out.extend([0; 32]);
    out.extend(class_3(kind));
    out.extend([0; 32]);
    out
}

/// Class 3 is valid, and frames come in order.
fn class_3(kind: Kind) -> [u8; 16] {
    let mut out = [0; 16];
    out[0] = 0x88;
    if kind == Kind::Port {
        out[6..8].copy_from_slice(&RECEIVE_BYTES.to_be_bytes());
        out[9] = 0xff;
        out[13] = 1;
    }
    out
}

/// PRLI with one page, for FCP: an image pair, read data without XFER_RDY.
fn process_login(head: [u8; 2], flags: u16, is_target: bool) -> Vec<u8> {
    const TARGET: u8 = 0x10;
    const INITIATOR: u8 = 0x20;
    const READ_WITHOUT_XFER_RDY: u8 = 0x02;
    let role = if is_target { TARGET } else { INITIATOR };
    let mut out = vec![head[0], head[1], 0, 20, FCP, 0];
    out.extend(flags.to_be_bytes());
    out.extend([0; 11]);
    out.push(role | READ_WITHOUT_XFER_RDY);
    out
}

fn logout(from: &Party) -> Vec<u8> {
    let mut out = vec![0x05, 0, 0, 0];
    out.extend(from.fc_id.to_be_bytes());
    out.extend(from.wwpn.to_be_bytes());
    out
}

fn address_discovery(command: u8, party: &Party) -> Vec<u8> {
    let mut out = vec![command, 0, 0, 0, 0, 0, 0, 0];
    out.extend(party.wwpn.to_be_bytes());
    out.extend(party.wwnn.to_be_bytes());
    out.extend(party.fc_id.to_be_bytes());
    out
}

/// One page for each port.
fn state_change(ports: &[u32]) -> Vec<u8> {
    let [.., high, low] = (4 + 4 * ports.len()).to_be_bytes();
    let mut out = vec![0x61, 4, high, low];
    out.extend(
        ports
            .iter()
            .flat_map(|port| (port & 0xff_ffff).to_be_bytes()),
    );
    out
}

/// Preamble of common transport: revision 1, name server.
fn ct(code: u16) -> Vec<u8> {
    let mut out = vec![0x01, 0, 0, 0, 0xfc, 0x02, 0, 0];
    out.extend(code.to_be_bytes());
    out.extend([0; 6]);
    out
}

/// Types are bits of eight words; FCP is bit 8 of the first.
fn register_types(from: &Party) -> Vec<u8> {
    let mut out = ct(0x0217);
    out.extend(from.fc_id.to_be_bytes());
    out.extend([0, 0, 1, 0]);
    out.extend([0; 28]);
    out
}

fn register_features(from: &Party) -> Vec<u8> {
    let mut out = ct(0x021f);
    out.extend(from.fc_id.to_be_bytes());
    out.extend([0, 0, if from.is_target { 1 } else { 2 }, FCP]);
    out
}

/// Length and text, at most 255 bytes, padded to words.
fn symbolic_name(text: &str, out: &mut Vec<u8>) {
    let bytes = &text.as_bytes()[..text.len().min(255)];
    out.push(bytes.len().to_be_bytes()[7]);
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
}

/// Addresses, the last one marked; none is a reject: no such port is registered.
fn ports_found(ports: &[u32]) -> Vec<u8> {
    let Some(last) = ports.len().checked_sub(1) else {
        let mut out = ct(0x8001);
        // Unable to perform the request; FC-4 types not registered.
        out[13] = 0x09;
        out[14] = 0x07;
        return out;
    };
    let mut out = ct(0x8002);
    for (number, port) in ports.iter().enumerate() {
        let mark = if number == last { 0x8000_0000 } else { 0 };
        out.extend((mark | port & 0xff_ffff).to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: TimeOuts = TimeOuts {
        e_d_tov: 2000,
        r_a_tov: 10_000,
    };

    fn host() -> Party {
        Party {
            fc_id: 0x01_02_00,
            wwpn: 0x3000_0000_0000_0001,
            wwnn: 0x3000_0000_0000_0002,
            port_name: "host1.hba0.p0".into(),
            node_name: "host1".into(),
            bb_credit: 8,
            is_target: false,
        }
    }

    const VERBS: [Verb; 13] = [
        Verb::FabricLogin,
        Verb::VirtualLogin,
        Verb::PortLogin,
        Verb::ProcessLogin,
        Verb::Logout,
        Verb::AddressDiscovery,
        Verb::StateChangeRegistration,
        Verb::StateChange,
        Verb::RegisterTypes,
        Verb::RegisterFeatures,
        Verb::RegisterPortName,
        Verb::RegisterNodeName,
        Verb::GetPorts,
    ];

    /// Sizes of request and answer: FC-LS and FC-GS, the tables of each request.
    #[test]
    fn sizes() {
        let sizes = VERBS.map(|verb| {
            let asks = request(verb, &host(), &host(), &[1, 2], TIMES);
            let agrees = answer(verb, &host(), &host(), &[1, 2], TIMES);
            (asks.payload.len(), agrees.payload.len())
        });
        let expected = [
            (116, 116),
            (116, 116),
            (116, 116),
            (20, 20),
            (16, 4),
            (28, 28),
            (8, 4),
            (12, 4),
            (52, 16),
            (24, 16),
            (36, 16),
            (32, 16),
            (20, 24),
        ];
        assert_eq!(sizes, expected);
    }

    /// A port that logs in to the fabric has no address yet; the answer brings it.
    #[test]
    fn the_fabric_gives_the_address() {
        let asks = request(Verb::FabricLogin, &host(), &Party::default(), &[], TIMES);
        assert_eq!((asks.s_id, asks.d_id), (0, FABRIC_LOGIN));
        let agrees = answer(Verb::FabricLogin, &host(), &Party::default(), &[], TIMES);
        assert_eq!((agrees.s_id, agrees.d_id), (FABRIC_LOGIN, 0x01_02_00));
        assert_eq!(agrees.payload[..4], [LS_ACC, 0, 0, 0]);
        assert_eq!(agrees.payload[12..20], [0, 0, 0x27, 0x10, 0, 0, 0x07, 0xd0]);
    }

    #[test]
    fn an_empty_list_is_a_reject() {
        let agrees = answer(Verb::GetPorts, &host(), &Party::default(), &[], TIMES);
        assert_eq!(agrees.payload[8..16], [0x80, 0x01, 0, 0, 0, 0x09, 0x07, 0]);
        let two = answer(Verb::GetPorts, &host(), &Party::default(), &[3, 4], TIMES);
        assert_eq!(two.payload[16..], [0, 0, 0, 3, 0x80, 0, 0, 4]);
    }
}
