"""Mutants of the API, the client and the commands."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

UNIT = "tests/unit"
MUTANTS = (
    Mutant(
        name="cursor-of-another-order",
        room="api",
        was='NOT_OF_THE_QUESTION = {"cursor", "fields", "limit"}',
        becomes='NOT_OF_THE_QUESTION = {"cursor", "fields", "limit", "order"}',
        why="a cursor is taken by a list in another order, and leads anywhere",
        killed_by=[f"{UNIT}/api/test_cursors_of_lists.py::test_it_goes_on_with_its_own_question"],
    ),
    Mutant(
        name="one-project-administers-all",
        room="api",
        was="if needs.all_projects and caller.project != ALL_PROJECTS:",
        becomes="if needs.all_projects and not caller.project:",
        why="a key of one project opens what tells of all projects",
        killed_by=[
            f"{UNIT}/api/test_keys_at_every_route.py::test_sums_over_all_projects_need_a_key_of_all"
        ],
    ),
    Mutant(
        name="page-from-elsewhere",
        room="api",
        was='if not is_own or headers.get("sec-fetch-site", "same-origin") != "same-origin":',
        becomes='if not is_own and headers.get("sec-fetch-site", "same-origin") != "same-origin":',
        why="a browser that sends no sec-fetch-site writes on behalf of a foreign page",
        killed_by=[
            f"{UNIT}/annotation/test_writing.py::test_a_page_of_ours_may_annotate_and_no_other"
        ],
    ),
    Mutant(
        name="only-the-first-tag",
        room="api",
        was='if etag in map(str.strip, if_none_match.split(",")):',
        becomes="if etag == if_none_match:",
        why="a cache that names two versions gets the body again",
        killed_by=[f"{UNIT}/api/test_trajectory_routes.py"],
    ),
    Mutant(
        name="last-of-equal-types",
        room="api",
        was="return (ranges[at].weight if ranges[at].covers(media) else 0.0, -at)",
        becomes="return (ranges[at].weight if ranges[at].covers(media) else 0.0, at)",
        why="of media types accepted equally the last one is sent",
        killed_by=[f"{UNIT}/api/test_rows.py::test_a_form_is_chosen_by_the_header"],
    ),
    Mutant(
        name="feed-of-all-projects",
        room="api",
        was="own = [a for a in newer if filters.reach.covers(a.key.project)]",
        becomes="own = list(newer)",
        why="who follows the feed is told of runs of other projects",
        killed_by=[f"{UNIT}/api/test_change_routes.py"],
    ),
    Mutant(
        name="retries-at-once",
        room="api",
        was="pause = longest * (1 + dice) / 2",
        becomes="pause = longest * dice",
        why="a client may ask an overloaded service again without any pause",
        killed_by=[f"{UNIT}/client/test_tries.py"],
    ),
    Mutant(
        name="dots-in-a-path",
        room="api",
        was='return quote(text, safe="").replace(".", "%2E")',
        becomes='return quote(text, safe="")',
        why="the conversation .. is another path",
        killed_by=[f"{UNIT}/client/test_client.py::test_a_conversation_under_any_name"],
    ),
    Mutant(
        name="one-page-too-large",
        room="api",
        was="size = self._most if self._left is None else min(self._left, self._most)",
        becomes="size = self._most",
        why="list --limit 3 prints a thousand runs",
        killed_by=[f"{UNIT}/client/test_client.py::test_a_list_is_paged_to_its_end"],
    ),
    Mutant(
        name="dry-run-deletes",
        room="api",
        was="if not dry_run and is_confirmed(yes=yes):",
        becomes="if is_confirmed(yes=yes):",
        why="delete --dry-run --yes deletes",
        killed_by=["tests/integration/test_delete_command.py"],
    ),
    Mutant(
        name="tail-tells-of-live-runs",
        room="api",
        was="if run is None or (run.status is Status.LIVE and not shows_live):",
        becomes="if run is None:",
        why="tail prints each run several times before it is done",
        killed_by=[f"{UNIT}/terminal/test_tail.py::test_the_filters_of_the_list_narrow_it_down"],
    ),
    Mutant(
        name="id-as-it-was-typed",
        room="api",
        was="return text and text.lower()",
        becomes="return text",
        why="a trace id in upper case is not found",
        killed_by=[f"{UNIT}/cli/test_arguments.py::test_a_trace_id_may_be_typed_in_upper_case"],
    ),
    Mutant(
        name="empty-runs-in-lists",
        room="api",
        was='if "has_steps" not in self.model_fields_set and self._includes_empty_runs():',
        becomes='if "has_steps" not in self.model_fields_set:',
        why="the making of an agent is listed as a run",
        killed_by=[
            "tests/unit/api/test_trajectory_routes.py::test_runs_without_a_step_have_to_be_asked_for"
        ],
    ),
    Mutant(
        name="calls-by-what-they-lack",
        room="api",
        was='lacking = next((field.name for field in by if field.name in _NOT_OF_CALLS), "")',
        becomes='lacking = ""',
        why="costs of calls by agent are one row without a name",
        killed_by=[
            "tests/unit/api/test_questions.py::test_numbers_of_calls_by_what_calls_do_not_have_are_refused"
        ],
    ),
    Mutant(
        name="flags-for-variables",
        room="api",
        was="if os.environ.get(variable) and flag not in typed:",
        becomes="if os.environ.get(variable) and flag in typed:",
        why="a bad value from a variable is blamed on a flag that nobody typed",
        killed_by=[
            "tests/unit/cli/test_service_errors.py::test_what_a_variable_set_is_named_by_it"
        ],
    ),
    Mutant(
        name="whole-run-for-each-agent",
        room="api",
        was='shared = next((field.name for field in by if field.name in _STEPS_BY), "")',
        becomes='shared = ""',
        why="each agent of a run is given the tokens of all",
        killed_by=[
            "tests/unit/api/test_questions.py::test_totals_of_runs_by_what_they_share_are_refused_with_the_right_question"
        ],
    ),
)
