"""Reading the forces that the world puts on the character."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray, IntArray
from .world import World


class ContactReader:
    """Contact forces by character geom.

    A slot is one geom of the character: its sole points first, then its other shapes. Several
    contacts of one geom are summed; their point is the mean weighted by normal force.
    """

    def __init__(self, world: World) -> None:
        model = world.model
        bodies = set(world.index.body.tolist())
        soles = world.index.sole_geom.tolist()
        others = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in bodies and g not in soles]
        geoms = np.array(soles + others, dtype=np.int64)
        self.slot_of_geom = np.full(model.ngeom + 1, -1, dtype=np.int64)
        self.slot_of_geom[geoms] = np.arange(len(geoms))
        segment_of_body = {int(b): s for s, b in enumerate(world.index.body)}
        self.segment_of_slot: IntArray = np.array([segment_of_body[int(model.geom_bodyid[g])] for g in geoms])
        self.count = len(geoms)

    def read(self, data: mujoco.MjData) -> tuple[FloatArray, FloatArray]:
        """Force (K, 3) [N], and normal force times (point, 1) (K, 4), of the step just taken."""
        force, weighted_point = np.zeros((self.count, 3)), np.zeros((self.count, 4))
        contact = data.contact
        rows = np.flatnonzero(contact.efc_address >= 0) if data.ncon else ()
        if len(rows) == 0:
            return force, weighted_point
        address = contact.efc_address[rows]
        parts = data.efc_force[address[:, None] + np.arange(3)]
        # The first row of a contact frame points from geom1 to geom2: this is the force on geom2.
        on_second = np.einsum("ci,cij->cj", parts, contact.frame[rows].reshape(-1, 3, 3))
        weighted = parts[:, :1] * np.column_stack([contact.pos[rows], np.ones(len(rows))])
        for column, sign in ((1, 1.0), (0, -1.0)):
            slots = self.slot_of_geom[contact.geom[rows, column]]
            mine = slots >= 0
            np.add.at(force, slots[mine], sign * on_second[mine])
            np.add.at(weighted_point, slots[mine], weighted[mine])
        return force, weighted_point
