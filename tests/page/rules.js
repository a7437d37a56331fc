// rules.js - rules of accessible pages that a script can check; gives a list of what breaks them.
// SPDX-License-Identifier: MIT
(function () {
  var bad = [];
  function all(what) { return Array.from(document.querySelectorAll(what)); }
  function say(rule, e) { bad.push(rule + ': ' + e.outerHTML.slice(0, 120)); }
  function shown(e) { return e.checkVisibility ? e.checkVisibility() : e.getClientRects().length > 0; }

  if (document.documentElement.lang !== 'en') bad.push('no language');
  if (!document.title) bad.push('no title');
  ['header', 'main', 'h1'].forEach(function (t) { if (all(t).length !== 1) bad.push('not one ' + t); });

  var depth = 0;
  all('h1,h2,h3,h4').forEach(function (h) {
    var d = +h.tagName[1];
    if (d > depth + 1) say('heading skips a level', h);
    depth = d;
  });
  var ids = {};
  all('[id]').forEach(function (e) {
    if (ids[e.id]) say('id twice', e);
    ids[e.id] = true;
  });
  all('a[href^="#"]').forEach(function (e) { if (!ids[e.getAttribute('href').slice(1)]) say('link to nowhere', e); });
  all('input,select,button,[role=button]').forEach(function (e) {
    var words = /^(INPUT|SELECT)$/.test(e.tagName) ? '' : e.textContent.trim();
    if (!(e.getAttribute('aria-label') || words)) say('no name', e);
    if (e.tabIndex < 0) say('out of reach of the keyboard', e);
  });
  all('svg').forEach(function (e) {
    if (e.getAttribute('role') !== 'img' || !e.getAttribute('aria-label')) say('picture without words', e);
  });
  all('th').forEach(function (e) { if (!e.getAttribute('scope')) say('no scope', e); });
  all('[tabindex]').forEach(function (e) { if (+e.getAttribute('tabindex') > 0) say('order of tabs', e); });
  all('[role=region],[role=group]').forEach(function (e) { if (!e.getAttribute('aria-label')) say('no name', e); });
  all('details').forEach(function (e) { if (!e.querySelector(':scope>summary')) say('no summary', e); });
  all('body *').forEach(function (e) {
    var s = getComputedStyle(e);
    var scrolls = (/auto|scroll/.test(s.overflowX) && e.scrollWidth > e.clientWidth + 1) ||
                  (/auto|scroll/.test(s.overflowY) && e.scrollHeight > e.clientHeight + 1);
    if (scrolls && e.tabIndex < 0) say('scrolls without the keyboard', e);
  });

  function rgba(s) {
    var m = /rgba?\(([^)]*)\)/.exec(s);
    var n = m ? m[1].split(/[ ,/]+/).map(Number) : [0, 0, 0, 0];
    return n.length > 3 ? n : n.concat(1);
  }
  function over(top, below) {
    return [0, 1, 2].map(function (i) { return top[i] * top[3] + below[i] * (1 - top[3]); }).concat(1);
  }
  function ground(e) {
    if (!e) return matchMedia('(prefers-color-scheme:dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    var c = rgba(getComputedStyle(e).backgroundColor);
    return c[3] === 1 ? c : over(c, ground(e.parentElement));
  }
  function light(c) {
    var l = [0, 1, 2].map(function (i) {
      var v = c[i] / 255;
      return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2] + 0.05;
  }
  var lowest = 99;
  all('body *').forEach(function (e) {
    var own = Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.data.trim(); });
    if (!own || !shown(e) || /^(SCRIPT|STYLE|OPTION|title)$/.test(e.tagName)) return;
    var s = getComputedStyle(e), svg = e instanceof SVGElement, paint = e.closest('[fill]');
    if (svg && paint && paint.getAttribute('fill') !== 'currentColor') return; // ink on a shade: the tests of charts have it
    var c = rgba(svg ? s.fill : s.color);
    if (svg) c[3] *= +s.fillOpacity;
    var g = ground(svg ? e.ownerSVGElement.parentElement : e), a = light(over(c, g)), b = light(g);
    var ratio = a > b ? a / b : b / a;
    lowest = Math.min(lowest, ratio);
    if (!(ratio >= 4.5)) say('contrast ' + ratio.toFixed(2), e);
  });
  return { bad: bad, lowest: lowest };
})()
