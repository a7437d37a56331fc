// site.js - search, buttons that copy, and boxes that scroll, in pages opened from a folder: nothing is fetched, the index is a script.
// SPDX-License-Identifier: MIT
(function () {
  'use strict';
  var index = null, waiting = null, chosen = -1;

  function all(what) { return Array.from(document.querySelectorAll(what)); }
  function make(tag, attributes, parent) {
    var e = document.createElement(tag);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (parent) parent.appendChild(e);
    return e;
  }

  // ---- search: rows are [page, title of the page, title of the section, anchor, text] ----

  window.siteIndex = function (rows) {
    index = rows.map(function (r) {
      return { file: r[0], anchor: r[3] ? '#' + r[3] : '', page: r[1], section: r[2], text: r[4],
               head: (r[2] || r[1]).toLowerCase(), low: r[4].toLowerCase() };
    });
    if (waiting) waiting();
  };

  function word(c) { return c !== undefined && /[\p{L}\p{N}_]/u.test(c); }

  // How often `term` is in `text`, one that begins or ends a word counting double and a whole word four times.
  function weight(text, term) {
    var sum = 0, n = 0;
    for (var at = text.indexOf(term); at >= 0 && n < 200; at = text.indexOf(term, at + term.length), n++) {
      var open = !word(text[at - 1]) || !word(term[0]), shut = !word(text[at + term.length]) || !word(term[term.length - 1]);
      sum += (open ? 2 : 1) * (shut ? 2 : 1);
    }
    return sum;
  }

  // Sections with every term. A term in a heading outweighs any number in the text; long sections have more of everything.
  function search(query) {
    var terms = query.toLowerCase().split(/\s+/).filter(Boolean), whole = terms.join(' '), found = [];
    if (!terms.length) return found;
    index.forEach(function (s) {
      var score = 0;
      for (var i = 0; i < terms.length; i++) {
        var head = weight(s.head, terms[i]), body = weight(s.low, terms[i]);
        if (!head && !body && s.page.toLowerCase().indexOf(terms[i]) < 0) return;
        score += 12 * Math.min(head, 4) + 10 * Math.log1p(body) / Math.log(6 + s.low.length / 400);
      }
      if (terms.length > 1 && (s.head.indexOf(whole) >= 0 || s.low.indexOf(whole) >= 0)) score += 20;
      if (s.head.indexOf(whole) >= 0) score += 30 * whole.length / s.head.length;
      if (s.head.replace(/^[\d. ]+/, '').indexOf(whole) === 0) score += 10; // a heading names first what it is about
      found.push({ section: s, score: score });
    });
    found.sort(function (a, b) { return b.score - a.score; });
    var seen = {}; // an option that several commands have is found once
    found = found.filter(function (f) { var key = f.section.head + f.section.low; return !seen[key] && (seen[key] = true); });
    return found.slice(0, 40).map(function (f) { return { section: f.section, terms: terms }; });
  }

  // Text with its terms marked, as nodes: nothing of the index is ever read as HTML.
  function marked(parent, text, terms) {
    var low = text.toLowerCase(), at = 0;
    while (at < text.length) {
      var next = -1, size = 0;
      terms.forEach(function (t) {
        var i = low.indexOf(t, at);
        if (i >= 0 && (next < 0 || i < next || (i === next && t.length > size))) { next = i; size = t.length; }
      });
      if (next < 0) break;
      parent.append(text.slice(at, next));
      make('mark', {}, parent).textContent = text.slice(next, next + size);
      at = next + size;
    }
    parent.append(text.slice(at));
  }

  function excerpt(s, terms) {
    var first = -1;
    terms.forEach(function (t) {
      var i = s.low.indexOf(t);
      if (i >= 0 && (first < 0 || i < first)) first = i;
    });
    var from = Math.max(0, first - 60);
    if (from) from = s.text.indexOf(' ', from) + 1;
    return (from ? '… ' : '') + s.text.slice(from, from + 190) + (from + 190 < s.text.length ? ' …' : '');
  }

  var box = document.querySelector('.find');
  var input = make('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the documents', role: 'combobox', autocomplete: 'off',
                              'aria-expanded': 'false', 'aria-controls': 'hits', spellcheck: 'false' }, box);
  make('kbd', { 'aria-hidden': 'true' }, box).textContent = '/';
  var hits = make('div', { class: 'hits', id: 'hits', role: 'listbox', 'aria-label': 'Found', hidden: '', tabindex: '-1' }, box);

  function choose(i) {
    var rows = hits.querySelectorAll('a');
    chosen = rows.length ? (i + rows.length) % rows.length : -1;
    rows.forEach(function (r, k) {
      r.classList.toggle('here', k === chosen);
      r.setAttribute('aria-selected', k === chosen);
    });
    if (chosen >= 0) {
      input.setAttribute('aria-activedescendant', rows[chosen].id);
      rows[chosen].scrollIntoView({ block: 'nearest' });
    } else input.removeAttribute('aria-activedescendant');
  }

  function show() {
    var query = input.value.trim();
    if (!index) return;
    hits.replaceChildren();
    var found = search(query);
    found.forEach(function (f, i) {
      var a = make('a', { href: f.section.file + '?q=' + encodeURIComponent(query) + f.section.anchor, role: 'option', id: 'hit' + i, tabindex: '-1' }, hits);
      marked(make('b', {}, a), f.section.section || f.section.page, f.terms);
      if (f.section.section) make('small', {}, a).textContent = '  ' + f.section.page;
      marked(make('span', {}, a), excerpt(f.section, f.terms), f.terms);
    });
    if (query && !found.length) make('p', {}, hits).textContent = 'Nothing has all of these words.';
    open(!!query);
    choose(0);
  }

  function open(yes) {
    hits.hidden = !yes;
    input.setAttribute('aria-expanded', String(yes));
  }

  function load() {
    if (index || waiting) return;
    waiting = show;
    make('script', { src: 'index.js' }, document.head);
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', function () { load(); show(); });
  input.addEventListener('keydown', function (e) {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      choose(chosen + (e.key === 'ArrowDown' ? 1 : -1));
      e.preventDefault();
    } else if (e.key === 'Enter' && chosen >= 0) hits.querySelectorAll('a')[chosen].click();
    else if (e.key === 'Escape') {
      open(false);
      input.blur();
    }
  });
  hits.addEventListener('click', function (e) { if (e.target.closest('a')) open(false); });
  document.addEventListener('click', function (e) { if (!box.contains(e.target)) open(false); });
  document.addEventListener('keydown', function (e) {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    e.preventDefault();
    input.focus();
    input.select();
  });

  // A page that a search led to marks what was searched for. The text stays as it is: highlights are beside it.
  var asked = new URLSearchParams(location.search).get('q');
  if (asked && window.Highlight) {
    var walk = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT), marks = new Highlight();
    while (walk.nextNode()) {
      var low = walk.currentNode.data.toLowerCase();
      asked.toLowerCase().split(/\s+/).filter(Boolean).forEach(function (term) {
        for (var at = low.indexOf(term); at >= 0 && marks.size < 1000; at = low.indexOf(term, at + term.length)) {
          var range = document.createRange();
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + term.length);
          marks.add(range);
        }
      });
    }
    CSS.highlights.set('found', marks);
  }

  // ---- code: a button that copies; of a Python session the lines that were typed ----

  function typed(text) {
    var lines = text.split('\n'), session = lines.filter(function (l) { return /^(>>>|\.\.\.)( |$)/.test(l); });
    return session.length ? session.map(function (l) { return l.slice(4); }).join('\n') + '\n' : text;
  }
  all('article pre').forEach(function (pre) {
    var around = make('div', { class: 'code' });
    pre.replaceWith(around);
    around.append(pre);
    var button = make('button', { type: 'button' }, around);
    button.textContent = 'Copy';
    button.addEventListener('click', function () {
      navigator.clipboard.writeText(typed(pre.textContent)).then(function () {
        button.textContent = 'Copied';
        button.classList.add('done');
        setTimeout(function () { button.textContent = 'Copy'; button.classList.remove('done'); }, 1500);
      }, function () { getSelection().selectAllChildren(pre); });
    });
  });

  // ---- boxes that scroll are reached by the keyboard, those that do not are no stop on its way ----

  function reach() {
    all('.scroll,article pre,math[display=block],.long,.pages,.contents').forEach(function (e) {
      if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) e.setAttribute('tabindex', '0');
      else e.removeAttribute('tabindex');
    });
  }
  addEventListener('resize', reach);
  reach();

  // ---- narrow screens begin with their lists shut; wide ones mark the section that is read ----

  function fold(what, width) {
    var narrow = matchMedia('(max-width:' + width + 'px)'), list = document.querySelector(what + ' details');
    function turn() { if (list) list.open = !narrow.matches; }
    narrow.addEventListener('change', turn);
    turn();
  }
  fold('.pages', 760);
  fold('.contents', 1180);
  var here = document.querySelector('.pages [aria-current]'), side = document.querySelector('.pages');
  if (here && here.offsetTop > side.clientHeight - 40) side.scrollTop = here.offsetTop - side.clientHeight / 2;

  var rows = all('.contents a'), heads = rows.map(function (a) { return document.getElementById(a.getAttribute('href').slice(1)); });
  function mark() {
    var at = 0;
    heads.forEach(function (h, i) { if (h.getBoundingClientRect().top < 120) at = i; });
    rows.forEach(function (r, i) { r.classList.toggle('here', i === at); });
    var list = rows[at].closest('.contents'), top = rows[at].offsetTop;
    if (top < list.scrollTop + 40 || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 2;
  }
  if (rows.length) {
    addEventListener('scroll', mark, { passive: true });
    mark();
  }
})();
