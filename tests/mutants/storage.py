"""Mutants of storage: lists, feed, deletions, texts, ``where`` as SQL, the schema's SQL."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

UNIT, CONTRACT = "tests/unit/storage", "tests/contract"
CONNECTIONS = "tests/integration/connections"
MUTANTS = (
    Mutant(
        name="an-equal-insert-vanishes",
        room="storage",
        was='"deduplicate_insert": "disable",  # replaces the previous setting since 26.9',
        becomes='"deduplicate_insert": "enable",',
        why="a server drops a repeated equal INSERT without a word",
        killed_by=[f"{CONNECTIONS}/test_settings.py::test_an_equal_insert_is_stored_again"],
    ),
    Mutant(
        name="never-leaves-a-host",
        room="storage",
        was="if turn == self._turn and self._host is not None:",
        becomes="if turn < 0 and self._host is not None:",
        why="a process stays at a host that does not answer",
        killed_by=[f"{UNIT}/test_hosts.py"],
    ),
    Mutant(
        name="begins-a-second-store",
        room="storage",
        was="may_begin = self.examination.may_upgrade and reasons == {EMPTY}",
        becomes="may_begin = self.examination.may_upgrade",
        why="the keeper makes tables on an empty host while the one with the store is away",
        killed_by=[f"{UNIT}/test_hosts.py"],
    ),
    Mutant(
        name="reach-of-everything",
        room="storage",
        was='return Condition("Project = {reach_project:String}", {"reach_project": min(reach.projects)})',
        becomes='return Condition("true", {"reach_project": min(reach.projects)})',
        why="a key of one project reads all projects",
        killed_by=[f"{CONTRACT}/test_feed.py::test_a_reader_is_told_of_its_projects_alone"],
    ),
    Mutant(
        name="late-rows-of-a-writer-are-old",
        room="core",
        was="return [c for c in found if not c.writer or c.number > seen.get(c.writer, 0)]",
        becomes="return [c for c in found if not c.writer or c.writer not in seen]",
        why="a reader on a server misses what a writer announces soon after another row",
        killed_by=["tests/properties/test_feed_never_skips.py"],
    ),
    Mutant(
        name="a-version-comes-twice",
        room="storage",
        was="elif not any(was_enough(other, announcement) for other in shown.get(version, ())):",
        becomes="else:",
        why="a version that two processes announce is shown twice",
        killed_by=[
            f"{CONTRACT}/test_feed.py::test_a_version_that_two_processes_announce_comes_once"
        ],
    ),
    Mutant(
        name="lost-answers-keep-the-writer",
        room="storage",
        was="self._begin()  # the INSERT may be under way",
        becomes="pass",
        why="a row whose INSERT lost its answer and ends late counts as old",
        killed_by=[f"{UNIT}/test_feed.py"],
    ),
    Mutant(
        name="open-copies-of-full-rank",
        room="storage",
        was="seq, greatest(seq, 1125899906842624) - 1125899906842624) AS RowVersion,",
        becomes="seq, seq) AS RowVersion,",
        why="a merge keeps an open copy that came after the finished span",
        killed_by=[f"{CONTRACT}/test_finished_spans.py"],
    ),
    Mutant(
        name="open-copies-before-finished-spans",
        room="core",
        was="return self.is_finished, self.row_version, self.start_ns",
        becomes="return True, self.row_version, self.start_ns",
        why="an open copy that came after the finished span is shown until the next merge",
        killed_by=[f"{CONTRACT}/test_finished_spans.py"],
    ),
    Mutant(
        name="what-counts-for-nothing-is-newer",
        room="storage",
        was="SELECT argMax(Seq, RowVersion) AS newest,",
        becomes="SELECT max(Seq) AS newest,",
        why="a run begins later, by its arrival, until a merge removes the open copy of a span",
        killed_by=[f"{CONTRACT}/test_finished_spans.py"],
    ),
    Mutant(
        name="a-part-replaces-a-whole",
        room="core",
        was="return new[:2] > stored[:2]",
        becomes="return True",
        why="a run that was complete has half of its spans again",
        killed_by=[f"{CONTRACT}/test_trajectory_store.py::test_a_part_never_replaces_a_whole"],
    ),
    Mutant(
        name="sent-again-and-lost",
        room="core",
        was="marks = (o.precedence.read_mark for o in others if o.fingerprint == self.fingerprint)",
        becomes="marks = (o.precedence.read_mark for o in others if o == self)",
        why="who read a part of what was sent again replaces a whole run, and nobody looks again",
        killed_by=[
            f"{UNIT}/test_builds.py::test_a_stored_build_read_what_builds_with_its_content_have_read"
        ],
    ),
    Mutant(
        name="sent-again-and-not-told",
        room="extractor",
        was="result.lost |= self._store.trajectories.confirm(result.confirmed)",
        becomes="result.lost |= frozenset()",
        why="who sleeps writes what was replaced since over a run that needed no new version",
        killed_by=["tests/simulation/test_defects.py"],
    ),
    Mutant(
        name="replaced-at-any-time",
        room="core",
        was="return any(not may_replace(own, other, is_whole=False) for other in others)",
        becomes="return False",
        why="a run counts as built while who read less may still write it",
        killed_by=[f"{UNIT}/test_builds.py", "tests/simulation/test_defects.py"],
    ),
    Mutant(
        name="one-number-two-contents",
        room="storage",
        was="if self.build.rank >= own.rank or self.build.version >= own.version:",
        becomes="if self.build.rank > own.rank or self.build.version > own.version:",
        why="two extractors store two documents under one version number",
        killed_by=[f"{UNIT}/test_builds.py::test_a_reservation_stops_who_is_not_above_it"],
    ),
    Mutant(
        name="two-places-in-the-list",
        room="storage",
        was="listed=[*listed, *left],",
        becomes="listed=listed,",
        why="a run that moved counts twice",
        killed_by=[f"{UNIT}/test_interrupted_write.py"],
    ),
    Mutant(
        name="in-no-list-for-ever",
        room="extractor",
        was="return head.fingerprint == build.fingerprint and head.is_listed and not is_unsafe",
        becomes="return head.fingerprint == build.fingerprint and not is_unsafe",
        why="a run whose extractor died before the list was written stays in its old version there",
        killed_by=["tests/simulation/test_defects.py"],
    ),
    Mutant(
        name="live-builds-without-limit",
        room="extractor",
        was="left_out = {item[0].key for item in again if not self._pays(item, now_ns)}",
        becomes="left_out: set[object] = set()",
        why="extractors that share a server read growing runs again and again",
        killed_by=["tests/unit/extractor/test_budget.py"],
    ),
    Mutant(
        name="gained-slices-without-their-past",
        room="extractor",
        was="self._recall(self._window.gain(gained, now.ns), now)",
        becomes="self._window.gain(gained, now.ns)",
        why="live runs of a dead extractor stay live",
        killed_by=["tests/unit/extractor/test_shared_slices.py"],
    ),
    Mutant(
        name="lost-slices-kept",
        room="extractor",
        was="return [due for due in batch if covers(held, due[0].key)]",
        becomes="return batch",
        why="of a backlog every extractor builds what it found first",
        killed_by=["tests/unit/extractor/test_shared_slices.py"],
    ),
    Mutant(
        name="last-candidate-lost",
        room="storage",
        was="if until is None or not comes_later(line.cursor, until):",
        becomes="if until is None or comes_later(until, line.cursor):",
        why="the run at the last candidate of a look is on no page",
        killed_by=[f"{UNIT}/test_candidates.py::test_the_line_at_the_last_candidate_is_not_lost"],
    ),
    Mutant(
        name="page-upside-down",
        room="storage",
        was='in_order = sorted(found.values(), key=attrgetter("cursor.place"), reverse=is_descending)',
        becomes='in_order = sorted(found.values(), key=attrgetter("cursor.place"))',
        why="each page of a list is ordered the other way round",
        killed_by=[
            f"{CONTRACT}/test_trajectory_lists.py::test_a_list_is_newest_first_and_pages_neither_repeat_nor_miss"
        ],
    ),
    Mutant(
        name="user-of-no-run",
        room="storage",
        was="maxIf((Place, UserId), UserId != '') AS LastUser,",
        becomes="max((Place, UserId)) AS LastUser,",
        why="a conversation has no user if its newest run names none",
        killed_by=[f"{CONTRACT}/test_conversations.py::test_a_conversation_is_told_whole"],
    ),
    Mutant(
        name="complete-while-under-way",
        room="storage",
        was="complete_us = min(self._under_way) - 1 if self._under_way else self._last_us",
        becomes="complete_us = min(self._under_way) if self._under_way else self._last_us",
        why="a reader of the feed passes a change that is being written",
        killed_by=[
            f"{UNIT}/test_feed.py::test_who_follows_while_a_slow_write_is_under_way_misses_nothing"
        ],
    ),
    Mutant(
        name="one-moment-torn-apart",
        room="storage",
        was="LIMIT {most:UInt64} WITH TIES",
        becomes="LIMIT {most:UInt64}",
        why="of changes with one time those beyond the limit are never shown",
        killed_by=[f"{CONTRACT}/test_feed.py::test_what_was_announced_together_is_not_torn_apart"],
    ),
    Mutant(
        name="deletion-in-every-project",
        room="storage",
        was="and scope.reach.covers(record.key.project)",
        becomes="and bool(record.key.project)",
        why="a deleted conversation takes one of the same id in another project along",
        killed_by=[
            f"{CONTRACT}/test_deletions.py::test_a_run_that_is_built_after_its_conversation_was_deleted_is_never_shown"
        ],
    ),
    Mutant(
        name="any-of-the-words",
        room="storage",
        was='texts.append(f"hasAllTokens(Text, {bound(list(dict.fromkeys(whole)))})")',
        becomes='texts.append(f"hasAnyTokens(Text, {bound(list(dict.fromkeys(whole)))})")',
        why="a search for two words finds texts with one of them",
        killed_by=[f"{CONTRACT}/test_texts.py::test_words_phrases_ids_and_prefixes_are_found"],
    ),
    Mutant(
        name="absent-is-unequal",
        room="storage",
        was='return f"({_has_key(comparison.key, column, literals)} AND NOT {any_of})"',
        becomes='return f"(NOT {any_of})"',
        why="metadata.tier != gold finds runs without a tier",
        killed_by=["tests/properties/test_where_answers.py::test_all_find_the_same_runs"],
    ),
    Mutant(
        name="within-one-step-more",
        room="storage",
        was='return f"(?s:.){{0,{link.most - 1}}}" if link.most > 1 else ""',
        becomes='return f"(?s:.){{0,{link.most}}}" if link.most > 1 else ""',
        why="within 2 finds steps that are three apart",
        killed_by=[f"{UNIT}/test_where_shapes.py"],
    ),
    Mutant(
        name="older-revision-wins",
        room="storage",
        was="ORDER BY TraceId, Annotator, StepId, Revision DESC, AtUnixMicro DESC, WriteId DESC",
        becomes="ORDER BY TraceId, Annotator, StepId, Revision, AtUnixMicro DESC, WriteId DESC",
        why="how alike people judge goes by what each said first",
        killed_by=[
            f"{CONTRACT}/test_annotation_queues.py::test_how_alike_people_judge_is_counted_by_item"
        ],
    ),
    Mutant(
        name="failed-attempt-forgotten",
        room="storage",
        was="WHERE progress.Status IN ('', 'live') OR progress.Attempts > 0",
        becomes="WHERE progress.Status IN ('', 'live')",
        why="a trace whose extraction failed is not tried again after a restart",
        killed_by=[
            f"{CONTRACT}/test_trace_changes.py::test_unextracted_is_what_is_newer_than_its_progress_or_live"
        ],
    ),
    Mutant(
        name="counted-though-missing",
        room="core",
        was="(tally.events if is_events else tally.spans).get(seq, 0) == items",
        becomes="(tally.events if is_events else tally.spans).get(seq, 0) <= items",
        why="a part of a trace is taken for all that had arrived",
        killed_by=["tests/unit/core/test_coverage.py"],
    ),
    Mutant(
        name="parts-settled",
        room="extractor",
        was="if requested is Status.LIVE or not is_whole:",
        becomes="if requested is Status.LIVE:",
        why="a run is settled though a request of it was not visible yet",
        killed_by=[
            "tests/unit/extractor/test_extractor.py::test_a_run_of_which_a_request_is_not_visible_yet_is_live"
        ],
    ),
    Mutant(
        name="left-with-a-part",
        room="extractor",
        was="return key in result.whole and key not in result.lost",
        becomes="return key not in result.lost",
        why="a trace leaves discovery with less than had arrived, and stays stale",
        killed_by=[
            "tests/simulation/test_defects.py::test_a_run_is_not_stale_after_its_spans_became_visible_late"
        ],
    ),
    Mutant(
        name="changes-without-requests",
        room="extractor",
        was="is_enough = outcome.is_stored and not trace.known",
        becomes="is_enough = outcome.is_stored",
        why="a trace leaves discovery before the request of a change is visible",
        killed_by=[
            "tests/unit/extractor/test_discovery.py::test_a_trace_stays_if_a_request_of_a_change_had_not_arrived"
        ],
    ),
    Mutant(
        name="decoder-without-project",
        room="storage",
        was="rs.project AS project,  -- as intake decided",
        becomes="'default' AS project,",
        why="spans of all projects are stored in the default one",
        killed_by=[f"{CONTRACT}/test_span_projects.py::test_traces_of_projects_are_apart"],
    ),
    Mutant(
        name="for-ever-is-no-day",
        room="storage",
        was="return (now_s // DAY_S - days) * DAY_S if days else 0",
        becomes="return (now_s // DAY_S - days) * DAY_S",
        why="a project that keeps its runs for ever loses those before today",
        killed_by=[
            f"{UNIT}/test_expired_rows.py::test_spans_and_trajectories_of_a_project_go_apart_and_others_stay"
        ],
    ),
    Mutant(
        name="parts-without-a-bound",
        room="storage",
        was='bound = Condition("LIMIT {most_parts:UInt64} BY CallKey", {"most_parts": most})',
        becomes='bound = Condition("", {})',
        why="of a conversation in thousands of traces all parts are read at once",
        killed_by=[
            f"{CONTRACT}/test_calls.py::test_parts_of_runs_come_back_one_of_a_trace_and_so_many_of_a_conversation"
        ],
    ),
    Mutant(
        name="late-store-of-any-schema",
        room="storage",
        was="if connection.needs_schema and not self._is_usable:",
        becomes="if connection.is_open and not self._is_usable:",
        why="a role writes to tables of another release when the store turns up after its start",
        killed_by=["tests/unit/storage/test_late.py"],
    ),
    Mutant(
        name="expansion-in-the-list",
        room="storage",
        was="if in_phases and not _is_new(expanded, listed):",
        becomes="if False:",
        why="roles of the release before end when they restart during an upgrade",
        killed_by=[
            f"{UNIT}/test_upgrade_phases.py::test_until_the_end_the_list_of_the_store_names_nothing_new"
        ],
    ),
    Mutant(
        name="new-store-as-upgrade",
        room="storage",
        was="m.number in listed and m.number not in expanded for m in missing",
        becomes="False for m in missing",
        why="a new store whose first migration was interrupted waits a day for older releases",
        killed_by=[
            f"{UNIT}/test_upgrade_phases.py::test_a_new_store_whose_first_migration_is_killed_anywhere_is_no_upgrade"
        ],
    ),
    Mutant(
        name="sleeper-keeps-the-lock",
        room="storage",
        was="if found is None or found.number != number:",
        becomes="if found is None:",
        why="two processes migrate one server at a time, after one of them slept",
        killed_by=[
            f"{UNIT}/test_migration_lock.py::test_who_was_overtaken_does_nothing_more_and_leaves_the_lock_alone"
        ],
    ),
    Mutant(
        name="silence-by-the-clock",
        room="storage",
        was="self._lasted_s += min(now_s - self._looked_s, MOST_PER_LOOK_S)",
        becomes="self._lasted_s += now_s - self._looked_s",
        why="who slept takes the lock from a holder that works",
        killed_by=[f"{UNIT}/test_migration_lock.py::test_silence_counts_looks_and_no_sleep"],
    ),
    Mutant(
        name="any-writer-is-of-this-release",
        room="storage",
        was="WHERE toUInt32OrZero(extract(getSetting('log_comment'), '^spanloom/([0-9]+)')) < {newest:UInt32}",
        becomes="WHERE false",
        why="the keeper ends an upgrade while the release before writes",
        killed_by=[f"{UNIT}/test_upgrade_phases.py::test_an_older_release_that_writes_is_noticed"],
    ),
    Mutant(
        name="no-upgrade-for-the-feed",
        room="storage",
        was="return _has(connection, EXPANSIONS)",
        becomes="return False",
        why="an API of the release before refuses positions of the feed that one of this gave out",
        killed_by=[
            f"{UNIT}/test_feed.py::test_tokens_are_those_of_the_first_release_until_an_upgrade_is_finished"
        ],
    ),
)
