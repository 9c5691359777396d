#!/usr/bin/env python3
"""GDB frames on the threads of a uftrace recording of the same process, and on separate threads.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402

PROGRAMS = Path(os.environ["PROGRAMS"])
STONES, STONES_TRACE = "tests/app/both/stones", "tests/app/both/stones.trace"
QUEUE, HEATER = "samples/gdb/queue.trace", "samples/gdb/heater.tfile"
MADE_UP = 4  # the id of the process after its three threads


class Apart(unittest.TestCase):
    def setUp(self):
        self.output = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out.fxt"

    def convert(self, *arguments):
        """The report, with its notes by kind, and the trace."""
        process = subprocess.run([PROGRAMS / "fxt-convert", "--report=json", "--strict", *arguments, self.output],
                                 capture_output=True, check=False, timeout=120, cwd=REPOSITORY)
        self.assertEqual(process.stderr, b"")
        report = json.loads(process.stdout)
        report["notes"] = {note["kind"]: note for note in report["notes"]}
        self.assertEqual(process.returncode, 0, report["notes"])
        check = subprocess.run([PROGRAMS / "fxt-dump", "--check", self.output], capture_output=True, check=False,
                               timeout=120)
        self.assertEqual((check.returncode, check.stderr), (0, b""), check.stdout)
        return report, fxt.read(self.output)

    @staticmethod
    def frames(trace):
        return [(event.thread, event.time, event.name, event.args["frame"]) for event in trace.events
                if event.category == "tracepoint" and "tracepoint" in event.args]

    def test_frames_are_drawn_on_their_threads(self):
        report, trace = self.convert(STONES, STONES_TRACE)
        alone, alone_trace = self.convert(STONES)
        self.assertNotIn("kept-apart", report["notes"])
        self.assertEqual((report["threads"], report["processes"]), (alone["threads"], alone["processes"]))
        self.assertEqual(trace.thread_names, alone_trace.thread_names)
        self.assertEqual(trace.process_names, alone_trace.process_names)
        self.assertEqual(len({thread for thread, *_ in self.frames(trace)}), 3)

    def test_the_order_of_the_inputs_does_not_matter(self):
        _, trace = self.convert(STONES, STONES_TRACE)
        _, other = self.convert(STONES_TRACE, STONES)
        self.assertEqual(self.frames(trace), self.frames(other))
        self.assertEqual(trace.thread_names, other.thread_names)

    def test_apart_shows_them_separately(self):
        together, trace = self.convert(STONES, STONES_TRACE)
        report, apart = self.convert("--apart", STONES, STONES_TRACE)
        self.assertNotIn("kept-apart", report["notes"])
        self.assertEqual((report["threads"], report["processes"]), (together["threads"] + 3, together["processes"] + 1))
        self.assertEqual({thread[0] for thread, *_ in self.frames(apart)}, {MADE_UP})
        self.assertEqual([frame[1:] for frame in self.frames(apart)], [frame[1:] for frame in self.frames(trace)])

    def test_tracepoints_may_be_threads_of_the_process(self):
        """With --frames=tracks, tracks of the tracepoints show the frames with all of their values. Tracks of threads do not."""
        def frames(trace):
            """The thread and the other data of each record, by frame and name."""
            return {(event.args["frame"], event.name): (event.thread, (event.time, event.type, event.args))
                    for event in trace.events if event.category == "tracepoint" and "frame" in event.args}
        for inputs in (STONES_TRACE,), ("--apart", STONES, STONES_TRACE), (STONES, STONES_TRACE):
            marks = self.convert(*inputs)[1]
            tracks = self.convert("--frames=tracks", *inputs)[1]
            on_threads, on_tracepoints = frames(marks), frames(tracks)
            self.assertEqual(on_threads.keys(), on_tracepoints.keys())
            self.assertEqual(Counter(marks.process_names.values()), Counter(tracks.process_names.values()))
            self.assertLessEqual({(thread[1], name) for thread, name in marks.thread_names.items()},
                                 {(thread[1], name) for thread, name in tracks.thread_names.items()})
            for key, (thread, content) in on_threads.items():
                tracepoint, same_content = on_tracepoints[key]
                self.assertEqual(content, same_content)
                self.assertEqual(tracks.process_names[tracepoint[0]], marks.process_names[thread[0]])
                self.assertNotIn(tracepoint, marks.thread_names)
                is_matched = inputs == (STONES, STONES_TRACE)
                where = f"thread {thread[1]}" if is_matched else marks.thread_names[thread]
                number = content[2].get("tracepoint")
                self.assertRegex(tracks.thread_names[tracepoint], rf"^tracepoint {number or '[0-9]+'} at \S+ on {where}$")

    def test_frames_of_another_time_are_shown_separately(self):
        for offset in "=-1ms", "=1ms":
            report, trace = self.convert("--offset", STONES_TRACE + offset, STONES, STONES_TRACE)
            self.assertEqual(report["notes"]["kept-apart"]["count"], 3)
            self.assertRegex(report["notes"]["kept-apart"]["first"],
                             rf"^{STONES_TRACE}: thread \d+: (no hit is inside an open call of the function that was hit|"
                             r"the best match is thread \d+, but in this thread, only \d+ of \d+ hits are inside an open call of the function "
                             r"that was hit)$")
            self.assertEqual({thread[0] for thread, *_ in self.frames(trace)}, {MADE_UP})

    def test_both_inputs_may_be_moved(self):
        _, trace = self.convert(STONES, STONES_TRACE)
        _, moved = self.convert("--offset=1=2s", "--offset=2=2s", STONES, STONES_TRACE)
        self.assertEqual([(frame[0], frame[1] + 2_000_000_000) for frame in self.frames(trace)],
                         [frame[:2] for frame in self.frames(moved)])

    def test_another_program_is_shown_separately(self):
        report, _ = self.convert(STONES, QUEUE)
        self.assertEqual(report["notes"]["kept-apart"]["count"], 3)

    def test_trace_files_without_recordings_have_no_note(self):
        report, _ = self.convert(QUEUE)
        self.assertNotIn("kept-apart", report["notes"])

    def test_the_report_has_a_line_for_each_tracepoint(self):
        report, _ = self.convert(QUEUE)
        self.assertEqual(len(report["details"]), 3)
        self.assertEqual(report["details"][0]["input"], QUEUE)
        self.assertRegex(report["details"][0]["text"], r"^tracepoint 2 at \S+: 3 frames, \d+ items?")
        report, _ = self.convert(STONES)
        self.assertNotIn("details", report)
        text = subprocess.run([PROGRAMS / "fxt-convert", STONES, QUEUE, self.output], capture_output=True, check=True, text=True, cwd=REPOSITORY).stdout
        self.assertIn(f"\ndetails  {QUEUE}: tracepoint 2 at ", text)

    def test_deselected_threads_have_no_frames(self):
        _, trace = self.convert(STONES, STONES_TRACE)
        tid = self.frames(trace)[0][0][1]
        report, only = self.convert(f"--tid={tid}", STONES, STONES_TRACE)
        self.assertNotIn("kept-apart", report["notes"])  # a collected `tid` identifies these threads
        self.assertEqual(self.frames(only),
                         [frame for frame in self.frames(trace) if frame[0][1] == tid])


if __name__ == "__main__":
    unittest.main()
