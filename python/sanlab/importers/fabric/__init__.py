"""Outputs of switches and hosts, as people paste them, as a scenario.

`blocks` splits texts by command, `brocade`, `cisco`, `rest` and `hosts` read them as facts, `graph`
joins the facts by world-wide name and place, `devices` groups ports to hosts and arrays, and
`scenario` writes the result.
"""

from sanlab.importers.fabric.importing import FabricImport, import_fabric

__all__ = ["FabricImport", "import_fabric"]
