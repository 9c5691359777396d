#!/usr/bin/env python3
"""Tests of the models of viewers: their calls for a few events, in particular with equal times."""

import unittest

import fxt_reader as fxt
from viewers import PerfettoView, TracyView, arguments_problem, disagreements, perfetto_groups

THREAD = (1, 1)


def begin(name, time):
    return fxt.Event(fxt.BEGIN, time, THREAD, "app", name, {}, 0)


def end(name, time):
    return fxt.Event(fxt.END, time, THREAD, "app", name, {}, 0)


def complete(name, time, end_time):
    return fxt.Event(fxt.COMPLETE, time, THREAD, "app", name, {}, end_time)


def drawn(view):
    return [(call.name, call.begin, call.end, call.depth) for call in view.slices]


class Viewers(unittest.TestCase):
    def assert_both_draw(self, events, calls):
        perfetto, tracy = PerfettoView(events), TracyView(events)
        self.assertEqual(drawn(perfetto), calls)
        self.assertEqual(drawn(tracy), calls)
        self.assertEqual(perfetto.complaints + tracy.complaints + disagreements(perfetto, tracy), [])

    def test_complete_events_nest_by_their_times(self):
        self.assert_both_draw([complete("main", 0, 10), complete("first", 1, 4), complete("second", 4, 10)],
                              [("main", 0, 10, 0), ("first", 1, 4, 1), ("second", 4, 10, 1)])

    def test_pairs_nest_by_their_order(self):
        self.assert_both_draw([begin("main", 0), begin("call", 0), end("call", 0), end("main", 0)],
                              [("main", 0, 0, 0), ("call", 0, 0, 1)])

    def test_a_call_of_no_length_at_the_end_needs_pairs_around_it(self):
        self.assert_both_draw([begin("main", 0), begin("call", 10), end("call", 10), end("main", 10)],
                              [("main", 0, 10, 0), ("call", 10, 10, 1)])
        events = [complete("main", 0, 10), complete("call", 10, 10)]
        self.assertEqual(drawn(PerfettoView(events)), [("main", 0, 10, 0), ("call", 10, 10, 0)])
        self.assertEqual(drawn(TracyView(events))[1], ("call", 10, 10, 0))

    def test_a_complete_event_inside_a_pair_closes_by_itself(self):
        self.assert_both_draw([begin("main", 0), complete("call", 2, 5), end("main", 5)],
                              [("main", 0, 5, 0), ("call", 2, 5, 1)])

    def test_the_inner_call_written_first_is_a_complaint(self):
        view = PerfettoView([complete("inner", 0, 5), complete("outer", 0, 10)])
        self.assertEqual(view.complaints, ["slice_drop_overlapping_complete_event: outer at 0 on thread 1"])

    def test_ends_without_begin_and_begins_without_end_are_complaints(self):
        self.assertEqual(PerfettoView([end("call", 3)]).complaints, ["misplaced_end_event: call at 3 on thread 1"])
        self.assertEqual(TracyView([end("call", 3)]).complaints, ["end without begin: call at 3"])
        self.assertEqual(PerfettoView([begin("call", 3)]).complaints, ["did not end: call from 3"])
        self.assertEqual(TracyView([begin("call", 3)]).complaints, ["did not end: call from 3"])

    def test_different_drawings_are_detected(self):
        view, other = PerfettoView([complete("a", 0, 5)]), TracyView([complete("a", 0, 6)])
        self.assertEqual(len(disagreements(view, other)), 1)

    def test_perfetto_shows_arguments_as_trees(self):
        for names in ["arg1", "arg1 symbol", "reg.rip", "reg.rsp"], ["a[0].x", "a[0].y", "a[1].x"], ["a[1][2]"], ["..."], []:
            self.assertIsNone(arguments_problem(names), names)
        for names in (["arg1", "arg1.symbol"], ["arg1.symbol", "arg1"], ["a[i]"], ["a[-1]"], ["a", "a[0]"], ["a[0]", "a.x"],
                      ["a[0]", "a"], ["a.x.y", "a.x"]):
            self.assertIsNotNone(arguments_problem(names), names)

    def test_perfetto_groups_its_top_level(self):
        trace = fxt.Trace(process_names={7: "draw"}, events=[begin("main", 0), end("main", 1)])
        self.assertEqual(perfetto_groups(trace), ["draw 7"])
        trace.blobs["perfetto"] = bytes([0x0a, 4, 0x10, 1, 0x32, 0])  # a packet with field 2, and with field 6, which is empty
        self.assertEqual(perfetto_groups(trace), ["System", "draw 7"])
        trace.blobs["perfetto"] = bytes([0x0a, 4, 0x12, 2, 0x32, 0])  # field 6 inside field 2
        self.assertEqual(perfetto_groups(trace), ["draw 7"])
        # Field 2 is a process tree with one process: its id, and the words of its command line.
        for words, name in ([b"./draw", b"3"], "./draw"), ([b"a b"], "a"), ([b"a b", b""], "a b"), ([], "draw"):
            process = bytes([8, 7]) + b"".join(bytes([0x1a, len(word)]) + word for word in words)
            tree = bytes([0x0a, len(process)]) + process
            trace.blobs["perfetto"] = bytes([0x0a, len(tree) + 2, 0x12, len(tree)]) + tree
            self.assertEqual(perfetto_groups(trace), [f"{name} 7"])
        trace.process_names[2] = "draw"
        trace.blobs["perfetto"] = bytes([0x0a, 3, 0xea, 2, 0])  # field 45
        self.assertEqual(perfetto_groups(trace), ["Kernel threads", "draw 2", "draw 7"])
        del trace.process_names[2]
        trace.blobs["perfetto"] = b""
        trace.switches.append((5, 0, (0, 0), THREAD, 0))
        self.assertEqual(perfetto_groups(trace), ["CPU Scheduling", "Scheduler", "draw 7"])
        trace.switches.clear()
        trace.events.append(fxt.Event(fxt.ASYNC_BEGIN, 2, THREAD, "app", "hit", {}, 3))
        self.assertEqual(perfetto_groups(trace), ["Global Legacy Events", "draw 7"])


if __name__ == "__main__":
    unittest.main()
