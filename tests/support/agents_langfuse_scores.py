"""A program: Langfuse's SDK sends an observation and scores of it; prints the ids."""

from __future__ import annotations

import json
from importlib import import_module


def main() -> None:
    """Send scores of each type, of the run and of the model call."""
    client = import_module("langfuse").Langfuse()  # in the dependency group "senders"
    with client.start_as_current_observation(name="planner", as_type="agent") as root:
        with root.start_as_current_observation(
            name="chat", as_type="generation", model="m"
        ) as call:
            call.update(input="Oslo?", output="Oslo.")
        trace_id, call_id = root.trace_id, call.id
    of_call = {"trace_id": trace_id, "observation_id": call_id}
    client.create_score(name="number", value=0.5, comment="so so", **of_call)
    client.create_score(name="word", value="fine", data_type="CATEGORICAL", **of_call)
    client.create_score(name="truth", value=1, data_type="BOOLEAN", trace_id=trace_id)
    for value in (0.1, 0.9):
        client.create_score(name="again", value=value, score_id="one", trace_id=trace_id)
    client.flush()
    client.shutdown()
    print(json.dumps({"trace_of_span": {call_id: trace_id}}))


if __name__ == "__main__":
    main()
