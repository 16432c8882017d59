"""Addresses: FC_IDs by place in the fabric, world-wide names by name."""

from __future__ import annotations

from hashlib import blake2b

#: Domain ids a fabric can have (FC-SW).
LAST_DOMAIN = 239


def fc_id_on_switch(domain: int, port: int) -> int:
    """Address of the N_Port on a switch port: domain, port in the area byte, 0."""
    return domain << 16 | port << 8


def fc_id_on_direct_link(nth: int) -> int:
    """Address of the nth N_Port, from 1, that has no fabric: domain 0, as in point-to-point."""
    return nth


def fc_id_on_loop(number: int, al_pa: int) -> int:
    """Address of a port on a private loop: its AL_PA. The area byte distinguishes loops here."""
    return number % 256 << 8 | al_pa


def fc_id_on_fl_port(domain: int, port: int, al_pa: int) -> int:
    """Address of a device that has logged in by an FL_Port: domain, port, AL_PA (FC-FLA)."""
    return domain << 16 | port << 8 | al_pa


def wwpn_of(name: str) -> int:
    """World-wide port name derived from the port's name, so that a new port changes no other.

    Its first four bits are 3, "locally assigned" (FC-FS, Name_Identifier formats).
    """
    digest = blake2b(name.encode(), digest_size=8, person=b"sanlab-wwpn").digest()
    return 0x3 << 60 | int.from_bytes(digest, "big") >> 4


def free_domains(taken: set[int], count: int) -> list[int]:
    """Return the lowest domains that are not taken; fewer than `count` when there are no more."""
    return [domain for domain in range(1, LAST_DOMAIN + 1) if domain not in taken][:count]
