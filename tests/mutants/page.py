"""Mutants of the page: its JavaScript, and the little Python that serves it."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MODULES = "tests/browser/test_modules.py"
ANNOTATE = "tests/browser/test_annotate_modules.py"
MUTANTS = (
    Mutant(
        name="sixty-seconds",
        room="page",
        was="if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;",
        becomes="if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;",
        why="a minute less 50 ms is shown as 60.0 s",
        killed_by=[f"{MODULES}::test_numbers_are_short_and_have_their_units"],
    ),
    Mutant(
        name="line-cut-too-late",
        room="page",
        was="return visible(piece.length > most || text.length > most ? `${piece.slice(0, most)}…` : piece);",
        becomes="return visible(piece.length > most || text.length > most ? `${piece}…` : piece);",
        why="a text cut to a line is one character too long",
        killed_by=[f"{MODULES}::test_what_is_hidden_in_a_text_is_shown"],
    ),
    Mutant(
        name="level-of-a-hidden-parent",
        room="page",
        was="level[i] = over < 0 || (isAlone && hits) ? 0 : level[over] + 1;",
        becomes="level[i] = up < 0 || (isAlone && hits) ? 0 : level[up] + 1;",
        why="rows below a hidden framework span are indented once too often",
        killed_by=[f"{MODULES}::test_what_is_on_show_is_what_nothing_closed_hides"],
    ),
    Mutant(
        name="hits-in-closed-branches-lost",
        room="page",
        was="i = isShown && collapsed[i] && !(isAlone && hits) ? this.endOf(i) : i + 1;",
        becomes="i = isShown && collapsed[i] && !isAlone ? this.endOf(i) + 1 : i + 1;",
        why="the row behind a closed branch is not shown",
        killed_by=[f"{MODULES}::test_what_is_on_show_is_what_nothing_closed_hides"],
    ),
    Mutant(
        name="error-beyond-the-drill",
        room="page",
        was="if (which(o, j) && (!kept || kept[j])) return j;",
        becomes="if (which(o, j) && kept?.[j]) return j;",
        why="the key for the next error finds none unless a search is open",
        killed_by=[
            f"{MODULES}::test_errors_are_found_in_closed_branches_and_drilling_down_hides_the_rest"
        ],
    ),
    Mutant(
        name="and-before-or-forgotten",
        room="page",
        was='if (word.text === "or") return [text.trim()].filter(Boolean);',
        becomes='if (word.text === "or") continue;',
        why="a question with or is taken apart into chips that ask something else",
        killed_by=[f"{MODULES}::test_a_question_is_taken_apart_into_chips_and_joined_again"],
    ),
    Mutant(
        name="quote-not-escaped",
        room="page",
        was=r'return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;',
        becomes=r'return `"${text.replace(/\n/g, "\\n")}"`;',
        why="a name with a quote makes a condition that nobody can read",
        killed_by=[f"{MODULES}::test_conditions_are_written_as_the_language_wants_them"],
    ),
    Mutant(
        name="shade-of-the-middle",
        room="page",
        was="return limits.filter((limit) => value > limit || value === most).length;",
        becomes="return limits.filter((limit) => value >= limit || value === most).length;",
        why="half of the values in a column stand out",
        killed_by=[f"{MODULES}::test_shades_follow_the_ranks"],
    ),
    Mutant(
        name="short-text-is-a-picture",
        room="page",
        was="if (text.length < LEAST) return null;",
        becomes="if (text.length < 1) return null;",
        why="a word that begins like a PNG is shown as a file",
        killed_by=[f"{MODULES}::test_bytes_of_files_are_told_from_texts"],
    ),
    Mutant(
        name="data-in-one-line",
        room="page",
        was=r'else if (name === "data") parsed.data += (parsed.data ? "\n" : "") + value;',
        becomes='else if (name === "data") parsed.data += value;',
        why="an event of several lines of data is read as another text",
        killed_by=[f"{MODULES}::test_events_are_read_however_they_are_cut"],
    ),
    Mutant(
        name="cut-rows-are-all",
        room="page",
        was="else if (!row.error) take(row); // an error: the service failed midway, and sends no last line",
        becomes="else if (row.error) data = row; else take(row);",
        why="rows that ended with an error are taken for all",
        killed_by=[f"{MODULES}::test_rows_that_end_early_are_not_taken_for_all"],
    ),
    Mutant(
        name="judged-beyond-the-steps",
        room="page",
        was="if (isToJudge) this.judged += by;",
        becomes="this.judged += by;",
        why="marks on what is not to be judged make a score complete",
        killed_by=[f"{ANNOTATE}::test_a_mark_beyond_the_steps_to_judge_completes_nothing"],
    ),
    Mutant(
        name="first-of-several-places",
        room="page",
        was="return at >= 0 && text.indexOf(words, at + 1) < 0 ? { start: at, end: at + words.length } : null;",
        becomes="return at >= 0 ? { start: at, end: at + words.length } : null;",
        why="a mark on a text moves to the first of several equal words",
        killed_by=[f"{ANNOTATE}::test_of_several_places_with_its_words_none_is_taken"],
    ),
)
