// Run in a page of the console by WebDriver: returns what is wrong with it, one text each.
const found = [];
const all = (selector) => [...document.querySelectorAll(selector)];
const isShown = (element) => element.getClientRects().length > 0;
const wrong = (text, element) => found.push(element ? `${text}: ${element.outerHTML.slice(0, 150)}` : text);

// What screen readers need; names of controls are checked in the browser's tree of accessibility.
if (document.documentElement.lang !== 'en') wrong('the page has no language');
if (!document.title) wrong('the page has no title');
for (const selector of ['h1', 'main']) if (all(selector).length !== 1) wrong(`not one ${selector}`);
for (const element of document.body.children) {
  if (!element.matches('header, main, a.skip')) wrong('outside of all landmarks', element);
}
let level = 0;
for (const heading of all('h1, h2, h3, h4, h5, h6')) {
  if (heading.tagName[1] - level > 1) wrong('a level of headings is left out', heading);
  level = Number(heading.tagName[1]);
}
for (const input of all('input:not([type=hidden]), select, textarea')) {
  if (![...input.labels].some((label) => isShown(label) && label.textContent.trim())) wrong('no label', input);
}
for (const table of all('table')) if (!table.caption?.textContent) wrong('no caption', table);
for (const cell of all('th')) if (!cell.scope) wrong('no scope', cell);
const ids = all('[id]').map((element) => element.id);
for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong(`the id ${id} twice`);
for (const element of all('[tabindex]')) if (element.tabIndex > 0) wrong('out of the order of focus', element);

// Contrast: WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (borders of fields, bars).
function parsed(color) {
  const numbers = color.match(/[\d.]+/g).map(Number);
  return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
}
function background(element) {
  for (let current = element; current; current = current.parentElement) {
    const color = parsed(getComputedStyle(current).backgroundColor);
    if (color.alpha === 1) return color.rgb;
  }
  return [255, 255, 255];
}
function luminance(rgb) {
  const [r, g, b] = rgb.map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function expectContrast(color, behind, least, what, element) {
  const { rgb, alpha } = parsed(color);
  const [dark, light] = [luminance(rgb), luminance(behind)].sort((a, b) => a - b);
  const ratio = (light + 0.05) / (dark + 0.05);
  if (alpha < 1 || ratio < least) wrong(`contrast of ${what} ${ratio.toFixed(2)}`, element);
}
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !isShown(element) || element.closest('svg')) continue;
  expectContrast(getComputedStyle(element).color, background(element), 4.5, 'text', element);
}
for (const field of all('input:not([type=hidden]), select')) {
  expectContrast(getComputedStyle(field).borderTopColor, background(field.parentElement), 3, 'the border', field);
}
for (const bar of all('svg rect')) expectContrast(getComputedStyle(bar).fill, background(bar), 3, 'a bar', bar);

// Width and weight.
if (document.documentElement.scrollWidth > innerWidth) {
  wrong(`${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
}
const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
const weight = loaded.reduce((sum, entry) => sum + Math.max(entry.transferSize, entry.encodedBodySize), 0);
if (!(weight > 1000 && weight < 100_000)) wrong(`${weight} bytes were loaded`);
for (const entry of loaded) if (new URL(entry.name).origin !== location.origin) wrong(`loaded ${entry.name}`);

// What stored texts could add, if they became markup; and what the policy had to stop.
for (const element of all('script:not([src]), style, img, iframe, object, embed, base')) wrong('foreign markup', element);
for (const element of all('*')) {
  for (const { name } of element.attributes) if (/^on|^style$/.test(name)) wrong(`foreign attribute ${name}`, element);
}
for (const link of all('a[href], form')) {
  const target = link.action ?? link.href.baseVal ?? link.href;
  if (new URL(target, location.href).origin !== location.origin) wrong('leads to another origin', link);
}
if (window.planted !== undefined) wrong(`a stored script ran: ${window.planted}`);
for (const violation of window.violations ?? ['not recorded']) wrong(`the policy was violated: ${violation}`);
return found;
