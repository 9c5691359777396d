// The HTML page: the drawing as JSON, and a script that paints the visible part.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/support/text.h"
#include "fxt/tools/drawing/picture.h"

namespace fxt::tools {
namespace {

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #222; --dim: #666; --line: #ccc; --tip: #fffbe6; }
@media (prefers-color-scheme: dark) {
  :root { --back: #1b1b1d; --text: #eee; --dim: #aaa; --line: #444; --tip: #33322a; }
}
body { font: 13px sans-serif; margin: 8px; background: var(--back); color: var(--text); }
svg { display: block; width: 100%; height: auto; }
#view { position: relative; overflow-x: hidden; overflow-y: auto; outline: none; }
canvas { position: sticky; top: 0; display: block; cursor: default; }
#tip { position: fixed; pointer-events: none; background: var(--tip); border: 1px solid var(--line); padding: 3px 6px;
  max-width: 60ch; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px monospace; }
#tools { display: flex; gap: 1em; align-items: baseline; flex-wrap: wrap; padding-bottom: 6px; }
#keys, #foot { color: var(--dim); }
[hidden] { display: none !important; }
)";

constexpr std::string_view kTools = R"(<div id="tools" hidden>
<label>Search <input id="name" type="search"></label> <span id="found"></span> <span id="shown"></span>
<span id="keys">w, s or Ctrl+wheel: zoom; a, d or drag: move; click: zoom to a call; double click or Esc: show all; /: search</span>
</div>
<div id="view" tabindex="0" hidden><canvas></canvas></div><div id="tip" hidden></div><div id="foot" hidden></div>
)";

// Times are in ns since the left end of the axis.
constexpr std::string_view kScript = R"(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent), element = id => document.getElementById(id);
const view = element('view'), canvas = view.querySelector('canvas'), paint = canvas.getContext('2d'), tip = element('tip');
// With #select, the page is a map in a frame of another page of the same origin, and the rows are lower.
// Dragging selects a time, which is sent to the other page.
const selects = location.hash === '#select' && parent !== window && location.origin !== 'null';
const margin = 8, axisHeight = 26, heading = selects ? 13 : 15, rowHeight = selects ? 5 : 17, gap = selects ? 4 : 12;
const counterHeight = 34, column = 6.7;
const all = data.to - data.from;
// The length of the shortest part to which the page can zoom. Times have only 53 bits, so they are not exact
// enough for shorter parts.
const shortest = Math.max(20, all / 2 ** 45);
let from = 0, span = all, width = 800, height = 400, wanted = '', bottom = axisHeight;
let selected = null, opened = null;  // selected by dragging; opened by the other page
for (const lane of data.lanes) {
  for (const row of lane.rows || []) {
    // For each call, the data have the distance from the start of the previous call.
    let start = 0;
    row.b = row.b.map(distance => start += distance);
  }
  lane.top = bottom + heading;
  bottom = lane.top + (lane.values ? counterHeight : lane.rows.length * rowHeight) + gap;
}

function time(ns) {
  const sign = ns < 0 ? '-' : '', size = Math.abs(ns);
  const [unit, one] = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]].find(u => size >= u[1]) || ['ns', 1];
  return `${sign}${+(size / one).toPrecision(15)} ${unit}`;
}
const since = ns => data.flame ? time(ns) : time(ns + data.from);
const place = ns => margin + (ns - from) * (width - 2 * margin) / span;
const inAxis = ns => Math.min(Math.max(ns, 0), all);  // instants may be outside
const timeAt = x => from + (x - margin) * span / (width - 2 * margin);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name);
function fitted(text, columns) {
  return columns < 3 ? '' : text.length <= columns ? text : text.slice(0, columns - 1) + '\u2026';
}
// The first call of a row that ends at this time or later. Calls of a row are sorted and do not overlap.
function firstBehind(row, ns) {
  let low = 0, high = row.b.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.b[middle] + row.l[middle] < ns) low = middle + 1; else high = middle;
  }
  return low;
}
const count = (row, i) => row.c[i] || 1;
const isFound = name => !wanted || data.names[name][1].includes(wanted);

function hatched() {
  const tile = document.createElement('canvas'), pen = tile.getContext('2d');
  tile.width = tile.height = 6;
  pen.fillStyle = '#ccc';
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = '#999';
  pen.beginPath();
  pen.moveTo(0, 6);
  pen.lineTo(6, 0);
  pen.stroke();
  return paint.createPattern(tile, 'repeat');
}
const off = hatched();

// Calls within the same pixel are painted as one gray call.
function paintRow(row, y) {
  const end = from + span, pixel = span / (width - 2 * margin);
  let painted = -1;
  for (let i = firstBehind(row, from); i < row.b.length && row.b[i] <= end; ++i) {
    const left = Math.max(place(row.b[i]), margin), right = Math.min(place(row.b[i] + row.l[i]), width - margin);
    const name = row.n[i], [category, label, color] = data.names[name], merged = count(row, i) > 1;
    const room = Math.max(right - left, merged ? 1 : 0.5);
    if (right <= painted && room < 1) continue;
    painted = Math.ceil(right);
    paint.globalAlpha = isFound(name) ? 1 : 0.15;
    paint.fillStyle = merged || row.l[i] < pixel / 2 ? '#999' : category === 'sched' && label.startsWith('linux:schedule') ? off : data.colors[color];
    paint.fillRect(left, y, Math.max(room - 0.5, 0.5), rowHeight - 1);
    const text = merged || selects ? '' : fitted(label, Math.floor((room - 4) / column));
    if (text) {
      paint.fillStyle = '#111';
      paint.fillText(text, left + 2, y + rowHeight - 5);
    }
  }
  paint.globalAlpha = 1;
}
function paintMarks(lane) {
  for (const mark of lane.marks) {
    const [row, ns, name, number, isFrame] = mark, at = inAxis(ns), x = place(at);
    if (at < from || at > from + span) continue;
    const y = lane.top + row * rowHeight - view.scrollTop;
    paint.globalAlpha = isFound(name) ? 1 : 0.15;
    paint.fillStyle = isFrame ? '#d33' : '#58c';
    paint.beginPath();
    for (const [dx, dy] of isFrame ? [[0, 0], [4, 8], [-4, 8]] : [[0, 0], [3, 4], [0, 8], [-3, 4]]) paint.lineTo(x + dx, y + dy);
    paint.fill();
  }
  paint.globalAlpha = 1;
}
function paintCounter(lane, y) {
  // Halves are used because the difference of the values may exceed the greatest number.
  const values = lane.values, low = Math.min(0, ...values.map(v => v[1])) / 2, range = Math.max(...values.map(v => v[1])) / 2 - low;
  const base = y + counterHeight - 2, level = v => base - (range > 0 ? (counterHeight - 2) * (v / 2 - low) / range : 0);
  paint.fillStyle = '#7a9cc6';
  paint.beginPath();
  paint.moveTo(place(values[0][0]), base);
  let before = 2 * low;
  for (const [ns, value] of values) {
    paint.lineTo(place(ns), level(before));
    paint.lineTo(place(ns), level(value));
    before = value;
  }
  paint.lineTo(place(all), level(before));
  paint.lineTo(place(all), base);
  paint.fill();
}
function paintArrows() {
  paint.strokeStyle = css('--dim');
  paint.beginPath();
  for (const [lane, row, ns, toLane, toRow, toNs] of data.arrows) {
    const x = place(ns), toX = place(toNs), bend = Math.max(8, (toX - x) / 2);
    if (toX < margin || x > width - margin) continue;
    const y = data.lanes[lane].top + row * rowHeight + 8 - view.scrollTop;
    const toY = data.lanes[toLane].top + toRow * rowHeight + 8 - view.scrollTop;
    paint.moveTo(x, y);
    paint.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
    paint.moveTo(toX - 5, toY - 3);
    paint.lineTo(toX, toY);
    paint.lineTo(toX - 5, toY + 3);
  }
  paint.stroke();
}
function paintLines() {
  paint.strokeStyle = '#58c';
  paint.setLineDash([3, 2]);
  paint.beginPath();
  for (const [first, last, ns] of data.lines) {
    const x = place(ns), lane = data.lanes[last];
    if (x < margin || x > width - margin) continue;
    paint.moveTo(x, data.lanes[first].top - view.scrollTop);
    paint.lineTo(x, lane.top + (lane.values ? counterHeight : lane.rows.length * rowHeight) - view.scrollTop);
  }
  paint.stroke();
  paint.setLineDash([]);
}
function paintAxis() {
  paint.fillStyle = css('--back');
  paint.fillRect(0, 0, width, axisHeight - 8);
  const least = 100 * span / (width - 2 * margin), begin = from + (data.flame ? 0 : data.from), end = begin + span;
  let step = 1;
  for (let power = 1; step < least; power *= 10) step = [1, 2, 5, 10].map(f => f * power).find(s => s >= least) || step;
  const [unit, size] = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]].find(u => Math.max(-begin, end) >= u[1]) || ['ns', 1];
  const decimals = Math.max(0, Math.round(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9));
  paint.textAlign = 'center';
  // A time beyond 2^53 ns may stay the same if a step is added. Therefore, the number of ticks is computed
  // first.
  const first = Math.ceil(begin / step), marks = Math.min(Math.floor(end / step) - first + 1, 1000);
  for (let i = 0; i < marks; i += 1) {
    const ns = (first + i) * step;
    const x = place(ns - begin + from), text = `${(ns / size).toFixed(decimals)} ${unit}`, half = text.length * column / 2;
    paint.fillStyle = css('--line');
    paint.fillRect(x, axisHeight - 8, 0.5, height);
    paint.fillStyle = css('--dim');
    paint.fillText(text, Math.min(Math.max(x, half), width - half), 15);
  }
  paint.textAlign = 'left';
}
function draw() {
  span = Math.min(Math.max(span, Math.min(shortest, all)), all);
  from = Math.min(Math.max(from, 0), all - span);
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  paint.scale(scale, scale);
  paint.font = '11px monospace';
  paint.fillStyle = css('--back');
  paint.fillRect(0, 0, width, height);
  paintAxis();
  paint.save();
  paint.beginPath();
  paint.rect(0, axisHeight - 8, width, height);
  paint.clip();
  for (const lane of data.lanes) {
    const y = lane.top - view.scrollTop;
    if (y > height || y + (lane.values ? counterHeight : lane.rows.length * rowHeight) < 0) continue;
    paint.fillStyle = css('--text');
    paint.font = 'bold 11px monospace';
    paint.fillText(lane.name, margin, y - 6);
    paint.font = '11px monospace';
    if (lane.values) { paintCounter(lane, y); continue; }
    lane.rows.forEach((row, number) => paintRow(row, y + number * rowHeight));
    paintMarks(lane);
  }
  paintLines();
  paintArrows();
  for (const [part, color] of [[opened, '#e8a33d'], [selected, '#3d7be8']]) {
    if (!part) continue;
    const left = place(part.from), size = Math.max(place(part.to) - left, 2);
    paint.globalAlpha = 0.25;
    paint.fillStyle = color;
    paint.fillRect(left, 0, size, height);
    paint.globalAlpha = 1;
    paint.strokeStyle = color;
    paint.strokeRect(left, 0, size, height);
  }
  paint.restore();
  element('shown').textContent = `${since(Math.round(from))} to ${since(Math.round(from + span))}`;
}
let isAsked = false;
function redraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; draw(); });
}
function resize() {
  width = Math.max(view.clientWidth, 200);
  height = Math.max(Math.min(bottom, innerHeight - view.getBoundingClientRect().top - 60), 120);
  view.style.height = `${height}px`;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.style.marginBottom = `${Math.max(bottom - height, 0)}px`;
  redraw();
}

// The object under the pointer, as { text, from, span }. If an instant and a call are both there, returns the instant.
function hit(x, y) {
  const inPage = y + view.scrollTop, ns = timeAt(x), near = 4 * span / width;
  const lane = data.lanes.find(one => inPage >= one.top && inPage < one.top + (one.values ? counterHeight : one.rows.length * rowHeight));
  if (!lane) return null;
  if (lane.values) {
    const behind = lane.values.filter(value => value[0] <= ns);
    return behind.length ? { text: `${lane.name}: ${behind[behind.length - 1][1]}` } : null;
  }
  const number = Math.floor((inPage - lane.top) / rowHeight), row = lane.rows[number];
  const mark = lane.marks.find(one => one[0] === number && Math.abs(inAxis(one[1]) - ns) < near);
  if (mark) {
    const [, at, name, marks, isFrame, frame, details] = mark;
    const more = marks > 1 ? `${marks} ${isFrame ? 'frames' : 'instants'}, the first is ` : '';
    return { text: `${more}${data.names[name][1]}${frame === null ? '' : `, frame ${frame}`} at ${since(at)}${lines(details)}` };
  }
  let best = -1;
  for (let i = firstBehind(row, ns - near); i < row.b.length && row.b[i] <= ns + near; ++i)
    if (best < 0 || Math.abs(row.b[i] + row.l[i] / 2 - ns) < Math.abs(row.b[best] + row.l[best] / 2 - ns)) best = i;
  if (best < 0) return null;
  const label = data.names[row.n[best]][1], longest = time(row.x[best] === undefined ? row.l[best] : row.x[best]);
  const text = count(row, best) > 1
    ? `${count(row, best)} calls at ${since(row.b[best])}, too many for the page; ${label} took longest: ${longest}`
    : `${label}${row.f[best] === undefined ? '' : `, frame ${row.f[best]}`}: ${longest}`
      + (data.flame ? '' : ` at ${since(row.b[best])}`) + (row.e.includes(best) ? ', without an end' : '') + lines(row.d[best]);
  return { text, from: row.b[best], span: row.l[best] };
}
const lines = details => details ? '\n' + data.details[details].map(line => data.texts[line]).join('\n') : '';

function zoom(factor, x) {
  const ns = timeAt(x);
  span *= factor;
  span = Math.min(Math.max(span, Math.min(shortest, all)), all);
  from = ns - (x - margin) * span / (width - 2 * margin);
  redraw();
}
const at = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
let held = null, pointer = width / 2;
// The other page uses times on the trace's clock, as text, because numbers have 53 bits.
const onClock = ns => String(BigInt(data.origin) + BigInt(data.from) + BigInt(Math.round(ns)));
const onAxis = clock => Number(BigInt(clock) - BigInt(data.origin) - BigInt(data.from));
const post = message => parent.postMessage({ fxt: message }, location.origin);
if (selects) {
  addEventListener('message', event => {
    if (event.source !== parent || event.origin !== location.origin || !event.data?.fxt) return;
    const part = event.data.fxt.opened;
    opened = part && { from: onAxis(part.from), to: onAxis(part.to) };
    redraw();
  });
  post({ whole: { from: onClock(0), to: onClock(all) }, origin: data.origin });
}
view.addEventListener('wheel', event => {
  if (!event.ctrlKey && !event.shiftKey) return;
  event.preventDefault();
  zoom(2 ** ((event.deltaY || event.deltaX) / 300), at(event)[0]);
}, { passive: false });
canvas.addEventListener('pointerdown', event => { held = { x: at(event)[0], from, moved: false }; });
addEventListener('pointerup', event => {
  const click = held && !held.moved && event.target === canvas ? hit(...at(event)) : null;
  held = null;
  if (selected) {
    post({ selected: { from: onClock(selected.from), to: onClock(selected.to) } });
    selected = null;
    redraw();
  }
  if (!click || !click.span) return;
  from = click.from - click.span * 0.05;
  span = click.span * 1.1;
  redraw();
});
addEventListener('pointermove', event => {
  const [x, y] = at(event);
  pointer = Math.min(Math.max(x, margin), width - margin);
  if (held) {
    if (Math.abs(x - held.x) > 3) held.moved = true;
    if (held.moved && selects) {
      const [begin, end] = [held.x, x].sort((a, b) => a - b).map(edge => inAxis(timeAt(edge)));
      selected = { from: begin, to: end };
    } else if (held.moved) from = held.from - (x - held.x) * span / (width - 2 * margin);
    redraw();
  }
  const under = event.target === canvas && !held ? hit(x, y) : null;
  tip.hidden = !under;
  if (!under) return;
  tip.textContent = under.text;
  tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
});
function showAll() { from = 0; span = all; redraw(); }
canvas.addEventListener('dblclick', showAll);
addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target === element('name')) {
    if (event.key === 'Escape') { element('name').value = ''; search(''); view.focus(); }
    return;
  }
  const act = { w: () => zoom(0.7, pointer), s: () => zoom(1 / 0.7, pointer), a: () => { from -= span / 5; redraw(); },
                d: () => { from += span / 5; redraw(); }, Escape: showAll, '/': () => element('name').focus() }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
// The page does not have the names of all merged calls. Therefore, the number of matching calls is computed
// from the number of calls that each name has in the whole trace.
function search(text) {
  wanted = text;
  let apart = 0, inAll = 0, names = 0;
  data.names.forEach(([, label, , calls], name) => {
    if (!calls || !label.includes(text)) return;
    inAll += calls;
    names += 1;
  });
  for (const lane of data.lanes)
    for (const row of lane.rows || [])
      row.n.forEach((name, i) => { if (count(row, i) === 1 && isFound(name)) apart += 1; });
  element('found').textContent = !text ? '' : data.flame ? `${inAll} calls on ${apart} paths` :
    `${inAll} calls of ${names} ${names === 1 ? 'name' : 'names'}, ${Math.min(apart, inAll)} of them drawn separately`;
  redraw();
}
element('name').addEventListener('input', event => search(event.target.value));
view.addEventListener('scroll', redraw);
addEventListener('resize', resize);
if (selects) element('keys').textContent = 'drag: open a part; w, s or Ctrl+wheel: zoom; a, d: move; click: zoom to a call; double click or Esc: show all; /: search';
document.querySelector('svg').remove();
for (const id of ['tools', 'view', 'foot']) element(id).hidden = false;
for (const line of data.foot) element('foot').append(line, document.createElement('br'));
resize();
draw();
)";

// Numbers items in the order of their use.
class Numbering {
 public:
  std::size_t number_of(std::uint32_t thing) {
    const auto [known, is_new] = numbers_.try_emplace(thing, all_.size());
    if (is_new) all_.push_back(thing);
    return known->second;
  }
  const std::vector<std::uint32_t>& all() const { return all_; }

 private:
  std::unordered_map<std::uint32_t, std::size_t> numbers_;
  std::vector<std::uint32_t> all_;
};

// Builds JSON that is safe inside a script element.
class JsonText {
 public:
  explicit JsonText(const Drawing& drawing) : drawing_(drawing), colors_(colors_of(drawing)) {}

  std::string text() {
    append(out_, "{{\"origin\":\"{}\",\"from\":{},\"to\":{},\"flame\":{},\"colors\":[", drawing_.origin_ns,
           drawing_.since_origin(drawing_.from_ns), drawing_.since_origin(drawing_.to_ns), drawing_.is_flame);
    list(kHues * kShades, [&](std::size_t i) {
      append(out_, "\"{}\"", text_of({i / kShades, i % kShades}));
    });
    append_text(out_, "],\"names\":[");
    list(drawing_.names.size(), [&](std::size_t i) {
      const CallName& name = drawing_.names[i];
      out_.push_back('[');
      string(name.category);
      out_.push_back(',');
      string(name.name);
      append(out_, ",{},{}]", kShades * colors_[i].hue + colors_[i].shade, drawing_.calls[i]);
    });
    append_text(out_, "],\"arrows\":[");
    list(drawing_.arrows.size(), [&](std::size_t i) {
      const Drawing::Arrow& arrow = drawing_.arrows[i];
      append(out_, "[{},{},{},{},{},{}]", arrow.from.lane, arrow.from.row, since(arrow.from.ns),
             arrow.to.lane, arrow.to.row, since(arrow.to.ns));
    });
    append_text(out_, "],\"lines\":[");
    list(drawing_.lines.size(), [&](std::size_t i) {
      const Drawing::Line& line = drawing_.lines[i];
      append(out_, "[{},{},{}]", line.first_lane, line.last_lane, since(line.ns));
    });
    append_text(out_, "],\"foot\":[");
    list(drawing_.foot.size(), [&](std::size_t i) { string(drawing_.foot[i]); });
    append_text(out_, "],\"lanes\":[");
    list(drawing_.lanes.size(), [&](std::size_t i) { lane(drawing_.lanes[i]); });
    append_text(out_, "],\"details\":[[]");
    // Lines of details are numbered in the order of their use. The page has only the lines of its own shapes.
    for (const std::uint32_t details : details_.all()) {
      append_text(out_, ",[");
      const auto lines = drawing_.details->lines_of(details);
      list(lines.size(), [&](std::size_t i) { append_number(out_, lines_.number_of(lines[i])); });
      out_.push_back(']');
    }
    append_text(out_, "],\"texts\":[");
    list(lines_.all().size(), [&](std::size_t i) { string(drawing_.details->line(lines_.all()[i])); });
    append_text(out_, "]}");
    return fmt::to_string(out_);
  }

 private:
  template <typename Print>
  void list(std::size_t size, Print print) {
    for (std::size_t i = 0; i < size; ++i) {
      if (i != 0) out_.push_back(',');
      print(i);
    }
  }
  std::int64_t since(std::uint64_t ns) const { return static_cast<std::int64_t>(ns - drawing_.from_ns); }
  // Escapes text that would end the script.
  void string(std::string_view text) {
    TextBuffer quoted;
    append_json_string(quoted, text);
    for (const char c : std::string_view(quoted.data(), quoted.size()))
      c == '<' ? append_text(out_, "\\u003c") : out_.push_back(c);
  }

  void lane(const Drawing::Lane& lane) {
    append_text(out_, "\n{\"name\":");
    string(lane.name);
    if (!lane.values.empty()) {
      append_text(out_, ",\"values\":[");
      list(lane.values.size(),
           [&](std::size_t i) { append(out_, "[{},{}]", since(lane.values[i].ns), lane.values[i].value); });
      append_text(out_, "]}");
      return;
    }
    append_text(out_, ",\"rows\":[");
    list(lane.rows.size(), [&](std::size_t i) { row(lane.rows[i]); });
    append_text(out_, "],\"marks\":[");
    const char* separator = "";
    for (std::size_t i = 0; i < lane.rows.size(); ++i)
      for (const auto& [begin, mark] : lane.rows[i].marks()) {
        append(out_, "{}[{},{},{},{},{},{},{}]", separator, i, since(begin), mark.name, mark.count,
               mark.kind == Shape::Kind::Frame, mark.frame ? fmt::to_string(*mark.frame) : "null",
               number_of_details(mark));
        separator = ",";
      }
    append_text(out_, "]}");
  }

  // The index of the shape's details in the page, counted from 1; 0 without details.
  std::size_t number_of_details(const Shape& shape) {
    return shape.details == 0 ? 0 : 1 + details_.number_of(shape.details);
  }

  // Writes lists with the start, the length and the name of each call. Counts, longest lengths, frames and
  // details are objects, because not all calls have them. The keys of these objects are indices in the lists.
  // The last list has the indices of the calls without an end.
  void row(const Row& row) {
    TextBuffer begins, lengths, names, counts, longest, frames, details, endless;
    std::size_t i = 0;
    std::int64_t last_begin = 0;
    const auto add = [&i](TextBuffer& list, std::uint64_t value) {
      append(list, "{}\"{}\":{}", list.size() == 0 ? "" : ",", i, value);
    };
    for (const auto& [begin, call] : row.calls()) {
      const char* const separator = i == 0 ? "" : ",";
      append(begins, "{}{}", separator, since(begin) - std::exchange(last_begin, since(begin)));
      append(lengths, "{}{}", separator, call.end_ns - call.begin_ns);
      append(names, "{}{}", separator, call.name);
      if (call.is_merged()) add(counts, call.count);
      if (call.longest_ns != call.end_ns - call.begin_ns) add(longest, call.longest_ns);
      if (call.frame) add(frames, *call.frame);
      if (call.details != 0 && !call.is_merged()) add(details, number_of_details(call));
      if (!call.has_end) append(endless, "{}{}", endless.size() == 0 ? "" : ",", i);
      ++i;
    }
    const auto view = [](const TextBuffer& text) { return std::string_view(text.data(), text.size()); };
    append(
        out_,
        "{{\"b\":[{}],\"l\":[{}],\"n\":[{}],\"c\":{{{}}},\"x\":{{{}}},\"f\":{{{}}},\"d\":{{{}}},\"e\":[{}]}}",
        view(begins), view(lengths), view(names), view(counts), view(longest), view(frames), view(details),
        view(endless));
  }

  const Drawing& drawing_;
  const std::vector<Color> colors_;  // by name
  TextBuffer out_;
  Numbering details_, lines_;
};

}  // namespace

std::string page_of(std::string_view title, std::string_view svg, const Drawing& all) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}{}"
      "<script id=\"data\" type=\"application/json\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      in_xml(title), kPageStyle, kTools, svg, JsonText(all).text(), kScript);
}

}  // namespace fxt::tools
