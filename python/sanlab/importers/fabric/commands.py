"""Commands by what they print: those that are read, and those that are known and not read.

Only the blocks of commands in `READ` are looked at. A name in `UNREAD` may be shown in the list of
what was skipped; the text of any other command is not, since it may hold a password.
"""

from __future__ import annotations

import re

#: Commands of Fabric OS and of hosts, by their first word.
READ = {
    "switchshow": "switchshow",
    "fabricshow": "fabricshow",
    "islshow": "islshow",
    "trunkshow": "trunkshow",
    "nsshow": "nsshow",
    "nscamshow": "nscamshow",
    "cfgshow": "cfgshow",
    "cfgactvshow": "cfgshow",
    "zoneshow": "cfgshow",
    "alishow": "cfgshow",
    "defzone": "defzone",
    "porterrshow": "porterrshow",
    "portstatsshow": "portstats",
    "portstats64show": "portstats",
    "portbuffershow": "portbuffer",
    "portperfshow": "portperf",
    "date": "clock",
    "portcfgshow": "portcfg",
    "portshow": "portshow",
    "sfpshow": "sfpshow",
    "topologyshow": "topologyshow",
    "lsdbshow": "lsdbshow",
    "configupload": "configupload",
    "multipath": "multipath",
    "lsscsi": "lsscsi",
    "systool": "systool",
    "mpclaim": "mpclaim",
    "get-initiatorport": "initiatorport",
}
#: Commands of NX-OS by their words; each word may be cut short.
READ_SHOW = {
    ("flogi", "database"): "flogi",
    ("npv", "flogi-table"): "flogi",
    ("fcns", "database"): "fcns",
    ("zoneset", "active"): "zoneset",
    ("zoneset",): "zones",
    ("zone", "status"): "zonestatus",
    ("zone", "active"): "zoneset",
    ("zone",): "zones",
    ("fcalias",): "zones",
    ("device-alias", "database"): "devicealias",
    ("device-alias",): "devicealias",
    ("topology",): "topology",
    ("interface", "brief"): "intbrief",
    ("interface", "counters"): "counters",
    ("interface", "transceiver"): "transceiver",
    ("interface", "status"): "",
    ("interface", "description"): "",
    ("interface",): "counters",
    ("port-channel", "database"): "portchannel",
    ("port-channel",): "",
    ("vsan", "membership"): "membership",
    ("vsan",): "",
    ("clock",): "clock",
    ("version",): "showversion",
    ("hardware",): "showversion",
    ("inventory",): "showversion",
    ("module",): "showversion",
    ("fspf", "database"): "fspf",
    ("fspf",): "",
    ("switchname",): "switchname",
    ("fcdomain", "domain-list"): "domainlist",
    ("fcdomain",): "fcdomain",
    ("fdmi", "database"): "fdmi",
    ("running-config",): "config",
    ("startup-config",): "config",
    ("tech-support",): "container",
}
#: Outputs with the outputs of other commands in them.
CONTAINERS = {"supportshow": "container", "supportsave": "container"}
_UNREAD = """
aaaconfig ag agshow aptpolicy auditcfg bannershow bladeshow bottleneckmon cat cfgsize
cfgtransshow chassiscfgperrshow chassisname chassisshow clear coreshow datapath dcbquery df
diagshow dlsshow dmesg errdump errshow esxcfg-mpath ethif exit fabriclog fabricprincipal
fabstatsshow fcoeadm fcping fcrconfigure fcredgeshow fcrfabricshow fcrphydevshow fcrproxydevshow
fcrresourceshow fcrrouteshow fcrxlateconfig fddcfg fdmishow ficoncupshow ficonhelp ficonshow
firmwareshow flow free fspfshow hadump haphealth hashow help history hostname hp3parinfo icl
ifconfig inq interfaceshow iodshow iostat ipaddrshow iscsiadm islcfg lfcfg licenseshow logout ls
lsanzoneshow lsblk lscfg lspath lspci luxadm lvs mapsdashboard mapsdb mapspolicy memshow mount
mpathadm nbrstateshow nbrstatsclear netstat nodefind nsallshow nszonemember passwd pcmpath
portcamshow portcfgshowall portcfgspeed portledtest portlogdump portlogdumpport portloginshow
portname portregshow porttrunkarea powermt ps psshow ptroute pvs qoscfg rasadmin rdac rows
sanlun sar secauthsecret seccertutil sensorshow setcontext setdbg slotshow snmpconfig supportftp
supportshowcfgshow switchstatusshow symdev syminq sympd sysmonitor sysshutdown tail tempshow
terminal thresholdscfg timezone top trunkdebug tstimezone uname uptime urouteshow userconfig
version vgs vmstat wwn xpinfo zonecfg zoneobjectexpunge
"""
UNREAD = frozenset(_UNREAD.split())
#: Commands of hosts that are known by more than their first word.
_OF_HOSTS = {
    "esxcli": re.compile(r"esxcli\s+(?:--\S+\s+)*storage\s+core\s+path\s+list"),
    "esxports": re.compile(r"esxcli\s+(?:--\S+\s+)*storage\s+(?:core\s+adapter|san\s+fc)\s+list"),
    "sysfs": re.compile(r"(?:cat|grep|head|tail|more)\s.*/fc_host/"),
}
#: First words of commands of NX-OS that are not read, and that may be shown.
_SHOWN = """
accounting analytics arp cdp cfs cores debug environment fabric-binding fc-redirect fcdroplatency
fcflow fcip fcroute fcs fctimer ficon flow hosts in-order-guarantee install ip iscsi ivr license
line lldp locator-led logging npiv npv ntp nvme port-monitor port-security process processes rib
rlir rmon role rscn san-ext-tuner scheduler scsi-flow scsi-target snmp spanning-tree ssh system
terminal trunk user-account users wwn
"""
_SHOWN_WORDS = tuple(_SHOWN.split())
_INNER = re.compile(r"fosexec\b.*-cmd\s+[\"']?([^\"']+)")
_LEAST_LETTERS = 2


def resolve(text: str) -> tuple[str | None, str, str]:
    """Return kind, arguments and a name that may be shown, of a command.

    The kind is None for a command that is not known, and empty for one that is not read.

    >>> resolve("sh flogi da vsan 10"), resolve("cfgshow | grep x")[0], resolve("unheard x")
    (('flogi', 'vsan 10', 'show flogi database'), 'cfgshow', (None, '', 'a command'))
    """
    inner = _INNER.match(text)
    words = (inner[1] if inner else text).split("|")[0].strip().rstrip(";").split()
    if not words:
        return None, "", "a command"
    of_host = next((kind for kind, pattern in _OF_HOSTS.items() if pattern.match(text)), "")
    if of_host:
        return of_host, text.rpartition("/")[2].strip(), words[0]
    first = words[0].rpartition("/")[2].lower().removesuffix(".exe")
    rest = " ".join(words[1:])
    known = READ.get(first) or CONTAINERS.get(first)
    if known:
        return known, rest, first
    if "show".startswith(first) and len(first) >= _LEAST_LETTERS and len(words) > 1:
        return _show(words[1:])
    is_known = first in UNREAD or first == "esxcli"
    return ("", rest, first) if is_known else (None, "", "a command")


def _show(words: list[str]) -> tuple[str | None, str, str]:
    # A whole word comes before one that is cut short: 'zone' is not 'zoneset'.
    whole = [item for item in READ_SHOW.items() if item[0][0] == words[0].lower()]
    for pattern, kind in (*whole, *READ_SHOW.items()):
        if len(words) < len(pattern):
            continue
        rest = words
        if _fits(words[0], pattern[0]):
            others = [w for w in words[1:] if any(_fits(w, p) for p in pattern[1:])]
            if len(others) >= len(pattern) - 1:
                rest = [word for word in words[1:] if word not in others]
                return kind, " ".join(rest), f"show {' '.join(pattern)}"
    named = next((word for word in _SHOWN_WORDS if _fits(words[0], word)), "")
    return "", "", f"show {named}".strip()


def _fits(word: str, whole: str) -> bool:
    return len(word) >= _LEAST_LETTERS and whole.startswith(word.lower())


_PORTCHANNEL = r"port-channel ?\d+"
#: Lines that begin an output without its command.
SIGNATURES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"switchName:\s*\S", "switchshow"),
        (r"\s*Switch ID\s+Worldwide Name", "fabricshow"),
        (r"\s*\d+:\s*\d+\s*->\s*\d+\s.*\bsp:", "islshow"),
        (r"\s*\d+:\s*\d+\s*->\s*\d+\s.*\bdeskew\b", "trunkshow"),
        (r"\s*nscam show for remote switches", "nscamshow"),
        (r"\s*Type\s+Pid\s+COS\s+PortName", "nsshow"),
        (r"\s*NL?\s+[0-9a-f]{6};\s*[\d,]+;", "nsshow"),
        (r"\s*(?:Defined|Effective) configuration:", "cfgshow"),
        (r"\s*frames\s+enc\s+crc\s+crc", "porterrshow"),
        (r"port:\s+\d+\s*$", "portstats"),
        (r"User\s+Port\s+Lx\s+Max", "portbuffer"),
        (r"\s*Ports of Slot\s+\d+\s", "portcfg"),
        (r"\s*Area Number:\s+\d+", "portcfg"),
        (r"\s*0\s+1\s+2\s+3\s+4\s+5\s+\d", "portperf"),
        (r"portIndex:\s+\d+", "portshow"),
        (r"(?:Slot\s+\d+/\s*)?Port\s+\d+:\s+(?:id|cu|--)", "sfpshow"),
        (r"\d+ domains? in the fabric; Local Domain ID:", "topologyshow"),
        (r"Domain = \d+, Link State Database", "lsdbshow"),
        (r"\s*FSPF Link State Database for VSAN", "fspf"),
        (r"fc\d+/\d+ (?:sfp|transceiver) is (?:not )?present", "transceiver"),
        (r"\[Configuration upload Information\]", "configupload"),
        (r"\s*INTERFACE\s+(?:VSAN\s+)?FCID\s+PORT NAME", "flogi"),
        (r"\s*VSAN\s*:\s*\d+\s+FCID\s*:", "fcns"),
        (r"VSAN \d+:\s*$", "fcns"),
        (r"\s*FCID\s+TYPE\s+PWWN", "fcns"),
        (r"\s*FC Topology for VSAN", "topology"),
        (r"\s*zoneset name \S+ vsan \d+", "zones"),
        (r"\s*zone name \S+(?: vsan \d+)?\s*$", "zones"),
        (r"\s*fcalias name \S+ vsan \d+", "zones"),
        (r"\s*device-alias name \S+ pwwn", "devicealias"),
        (r"Interface\s+Vsan\s+Admin", "intbrief"),
        (r"(?:fc|vfc)[\d/]+ is (?:up|down|trunking)", "counters"),
        (r"fc\d+/\d+\s*$", "counters"),
        (rf"{_PORTCHANNEL}\s*$", "portchannel"),
        (r"vsan \d+(?:\(\S+\))? interfaces:", "membership"),
        (r"VSAN: \d+ default-zone:", "zonestatus"),
        (r"\s*Registered HBA List for VSAN", "fdmi"),
        (r"Cisco Nexus Operating System", "showversion"),
        (r"\s*Class = \"fc_host\"", "systool"),
        (r".*/fc_host/host\d+/\w+", "sysfs"),
        (r"(?:\S+ \()?3[0-9a-f]{16,32}\)? +dm-\d+ ", "multipath"),
        (r"\S+ \(\S.*\) dm-\d+ ", "multipath"),
        (r"\[\d+:\d+:\d+:\d+\]\s+(?:disk|tape|cd/dvd|enclosu|storage)\s", "lsscsi"),
        (r"\s*UID: fc\.[0-9a-f]{16}:", "esxcli"),
        (r"fc\.[0-9a-f]{16}:[0-9a-f]{16}-fc\.", "esxcli"),
        (r"\s*MPIO Disk\d+:", "mpclaim"),
        (r"HBA Name\s+Driver\s+Link State\s+UID", "esxports"),
        (r"InstanceName\s+NodeAddress\s+PortAddress", "initiatorport"),
    )
]
#: Kinds whose outputs contain lines that begin outputs of other kinds.
NESTED = {
    "nscamshow": {"nsshow"},
    "counters": {"portchannel", "counters"},
    "zoneset": {"zones"},
    "config": set[str](),
    "intbrief": {"counters", "portchannel"},
    "membership": {"portchannel"},
}


#: One pattern for all, since most lines begin nothing.
_ANY = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in SIGNATURES))


def signature(line: str) -> str:
    """Return the kind of output that a line begins, or nothing."""
    if not _ANY.match(line):
        return ""
    return next((kind for pattern, kind in SIGNATURES if pattern.match(line)), "")
