"""Attacks on the protocol: whatever a client sends, leaves out or does not read, the server answers or ends cleanly."""

from __future__ import annotations

from tests.attacks.protocol_clients import (
    answers_to_our_requests,
    does_not_read,
    leaves_at_any_moment,
    odd_capabilities,
)
from tests.attacks.protocol_fields import huge_params, wrong_fields, wrong_initialize
from tests.attacks.protocol_floods import cancellation_storms, folders_and_settings, in_flight, notifications
from tests.attacks.protocol_framing import lengths_that_lie, no_json, odd_pieces
from tests.attacks.protocol_fuzz import mutated_dialogues
from tests.attacks.protocol_rpc import ids_of_every_type, members_that_contradict, out_of_season
from tests.attacks.run import main

ATTACKS = [
    lengths_that_lie,
    odd_pieces,
    no_json,
    ids_of_every_type,
    members_that_contradict,
    out_of_season,
    wrong_fields,
    wrong_initialize,
    huge_params,
    in_flight,
    cancellation_storms,
    folders_and_settings,
    notifications,
    answers_to_our_requests,
    odd_capabilities,
    does_not_read,
    leaves_at_any_moment,
    mutated_dialogues,
]

if __name__ == "__main__":
    main("protocol", ATTACKS)
