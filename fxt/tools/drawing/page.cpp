#include <fmt/format.h>

#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/texts.h"

namespace fxt::tools {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 13px sans-serif; margin: 8px; }
svg { display: block; width: 100%; height: auto; }
rect.other, path.other { opacity: 0.15; }
#tools[hidden] { display: none; }
#tools { position: sticky; top: 0; background: #fff; padding: 4px 0; }
)";

// Positions are in the picture's own units, those of its viewBox.
constexpr std::string_view kScript = R"(
'use strict';
const svg = document.querySelector('svg'), axis = svg.querySelector('.axis');
const width = svg.viewBox.baseVal.width, margin = 8, column = 6.1;
const line = axis.querySelector('path').getAttribute('d').replace(/^M[^ ]*/, '');
const from = Number(svg.dataset.from), span = Number(svg.dataset.to) - from;
const shapes = [...svg.querySelectorAll('.lane rect, .lane path')].map(element => {
  const next = element.nextElementSibling, text = next && next.tagName === 'text' ? next : null;
  const title = element.querySelector('title').textContent, moved = element.getAttribute('transform');
  const place = moved ? moved.match(/[\d.]+/g).map(Number) : [+element.getAttribute('x')];
  return { element, text, title, isMark: Boolean(moved), x: place[0], y: place[1],
           width: moved ? 0 : +element.getAttribute('width'), label: title.replace(/: [^:]*$/, ''),
           isMerged: /^\d+ calls at /.test(title) };
});
let zoom = 1, left = margin;

function placed(x) { return margin + (x - left) * zoom; }
function create(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text) element.textContent = text;
  return element;
}
function fitted(text, columns) {
  return columns < 3 ? '' : text.length <= columns ? text : text.slice(0, columns - 1) + '\u2026';
}
function drawAxis() {
  const scale = (width - 2 * margin) * zoom / span, most = 100 / scale;
  let step = 1;
  for (let power = 1; step < most; power *= 10) step = [1, 2, 5, 10].map(f => f * power).find(s => s >= most) || step;
  const begin = from + (left - margin) * span / (width - 2 * margin), end = begin + span / zoom;
  const [unit, size] = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]].find(u => end >= u[1]) || ['ns', 1];
  const decimals = Math.max(0, Math.round(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9));
  axis.replaceChildren();
  for (let time = Math.ceil(begin / step) * step; time <= end; time += step) {
    const x = margin + (time - begin) * scale;
    axis.append(create('path', { d: `M${x}${line}`, stroke: '#ccc' }),
                create('text', { x, y: 15, 'text-anchor': x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle' },
                       `${(time / size).toFixed(decimals)} ${unit}`));
  }
}
function drawMark(shape) {
  const x = placed(shape.x), isOut = x < margin || x > width - margin;
  shape.element.style.display = isOut ? 'none' : '';
  shape.element.setAttribute('transform', `translate(${x} ${shape.y})`);
  if (!shape.text) return;
  shape.text.style.display = isOut ? 'none' : '';
  shape.text.setAttribute('x', x + 5);
}
function drawCall(shape) {
  const begin = Math.max(placed(shape.x), margin);
  const end = Math.min(placed(shape.x + shape.width), width - margin), isOut = end <= begin;
  shape.element.style.display = isOut ? 'none' : '';
  if (!isOut) {
    shape.element.setAttribute('x', begin);
    shape.element.setAttribute('width', Math.max(end - begin, 0.5));
  }
  const label = isOut || shape.isMerged ? '' : fitted(shape.label, Math.floor((end - begin - 4) / column));
  if (!shape.text && !label) return;
  if (!shape.text) {
    shape.text = create('text', { y: +shape.element.getAttribute('y') + 12 });
    shape.element.after(shape.text);
  }
  shape.text.textContent = label;
  shape.text.setAttribute('x', begin + 2);
}
let isAsked = false;
function draw() {
  left = Math.min(Math.max(left, margin), margin + (width - 2 * margin) * (1 - 1 / zoom));
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    drawAxis();
    for (const shape of shapes) shape.isMark ? drawMark(shape) : drawCall(shape);
  });
}
function place(event) {
  const box = svg.getBoundingClientRect();
  return (event.clientX - box.left) * width / box.width;
}
svg.addEventListener('wheel', event => {
  if (!event.ctrlKey && !event.shiftKey) return;
  event.preventDefault();
  const x = place(event), time = left + (x - margin) / zoom;
  zoom = Math.min(Math.max(zoom * 2 ** (-(event.deltaY || event.deltaX) / 300), 1), 1000);
  left = time - (x - margin) / zoom;
  draw();
}, { passive: false });
let held = null;
svg.addEventListener('pointerdown', event => { held = { x: place(event), left }; });
addEventListener('pointerup', () => { held = null; });
addEventListener('pointermove', event => {
  if (!held || zoom === 1) return;
  left = held.left - (place(event) - held.x) / zoom;
  draw();
});
svg.addEventListener('dblclick', () => { zoom = 1; draw(); });
document.getElementById('name').addEventListener('input', event => {
  const wanted = event.target.value;
  let found = 0;
  for (const shape of shapes) {
    const isFound = shape.title.includes(wanted);
    shape.element.classList.toggle('other', !isFound);
    found += isFound;
  }
  document.getElementById('found').textContent = wanted ? `${found} shapes` : '';
});
document.getElementById('tools').hidden = false;
)";

}  // namespace

std::string page_of(std::string_view title, std::string_view svg) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<div id=\"tools\" hidden><label>Highlight <input id=\"name\" type=\"search\"></label> "
      "<span id=\"found\"></span> Shift or Ctrl and the wheel zoom, dragging moves, a double click shows all."
      "</div>\n{}<script>{}</script>\n</body>\n</html>\n",
      in_xml(title), kStyle, svg, kScript);
}

}  // namespace fxt::tools
