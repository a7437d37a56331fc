/* page.js - what a page does when it is touched: tables sort and filter, figures and tables are taken away as files, */
/* pictures of levels have a slider. Without it everything is there to read. */
/* SPDX-License-Identifier: MIT */
(function () {
  'use strict';

  function make(name, attributes, text) {
    var e = document.createElement(name);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    return e;
  }

  function each(what, where, act) {
    Array.prototype.forEach.call(where.querySelectorAll(what), act);
  }

  /* ---- files ---- */

  function save(name, type, text) {
    var url = URL.createObjectURL(new Blob([text], { type: type + ';charset=utf-8' }));
    var a = make('a', { href: url, download: name });
    document.body.appendChild(a);
    a.click();
    a.remove();
    setTimeout(function () { URL.revokeObjectURL(url); }, 1000);
  }

  function file(title, ending) {
    return (title.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 80) || 'figure') + ending;
  }

  function saver(word, title, text, type, ending) {
    var b = make('button', { type: 'button', 'aria-label': word + ': ' + title }, word);
    b.addEventListener('click', function () { save(file(title, ending), type, text()); });
    return b;
  }

  function quoted(s) {
    return /[",\n\r]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
  }

  function csvOf(table) {
    return Array.prototype.map.call(table.rows, function (r) {
      return Array.prototype.map.call(r.cells, function (c) { return quoted(c.textContent.trim()); }).join(',') + '\n';
    }).join('');
  }

  /* A file has no page around it to give it a colour. */
  function svgOf(svg) {
    var copy = svg.cloneNode(true);
    copy.setAttribute('style', 'color:#1c2430;background:#fff');
    return new XMLSerializer().serializeToString(copy);
  }

  /* ---- tables ---- */

  var unit = { ms: 0.001, s: 1, min: 60, h: 3600 };

  /* The number a cell begins with, times in seconds; NaN where there is none. */
  function number(s) {
    var m = /^([+-]?\d[\d.]*(?:e[+-]?\d+)?)(?: (ms|s|min|h)$)?/i.exec(s);
    return m ? parseFloat(m[1]) * (unit[m[2]] || 1) : NaN;
  }

  /* Cells without a value come last, whichever way it goes; equal ones stay in their order. */
  function sort(table, column, numeric, down) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (r, i) {
      var s = r.cells[column].textContent.trim();
      return { row: r, at: i, empty: s === '-' || s === '', key: numeric ? number(s) : s };
    });
    var words = new Intl.Collator('en', { numeric: true });
    rows.sort(function (a, b) {
      if (a.empty !== b.empty) return a.empty ? 1 : -1;
      var d = a.empty ? 0 : numeric ? a.key - b.key : words.compare(a.key, b.key);
      return (down ? -d : d) || a.at - b.at;
    });
    var all = document.createDocumentFragment();
    rows.forEach(function (r) { all.appendChild(r.row); });
    body.appendChild(all);
  }

  /* Not button elements: a header that goes on to the next sheet of paper loses these. */
  function sortable(table) {
    var head = Array.prototype.slice.call(table.tHead.rows[0].cells);
    head.forEach(function (th, column) {
      var b = make('span', { role: 'button', tabindex: 0 });
      while (th.firstChild) b.appendChild(th.firstChild);
      th.appendChild(b);
      function act() {
        var down = th.getAttribute('aria-sort') === 'ascending';
        head.forEach(function (o) { o.removeAttribute('aria-sort'); });
        th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        sort(table, column, th.className === 'num', down);
      }
      b.addEventListener('click', act);
      b.addEventListener('keydown', function (e) {
        if (e.key !== 'Enter' && e.key !== ' ') return;
        e.preventDefault();
        act();
      });
    });
  }

  function filter(table, title) {
    var field = make('input', { type: 'search', placeholder: 'words that a row has' });
    var label = make('label', {}, 'Filter ');
    var told = make('output', {});
    field.setAttribute('aria-label', 'Filter ' + title);
    label.appendChild(field);
    label.appendChild(told);
    field.addEventListener('input', function () {
      var words = field.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0, rows = table.tBodies[0].rows;
      Array.prototype.forEach.call(rows, function (r) {
        var text = r.textContent.toLowerCase();
        r.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
        shown += !r.hidden;
      });
      told.textContent = words.length ? shown + ' of ' + rows.length + ' rows' : '';
    });
    return label;
  }

  function table(t) {
    var rows = t.tBodies[0].rows.length, box = t.parentNode, title = box.getAttribute('data-title') || 'table';
    var tools = make('div', { 'class': 'tools' });
    if (rows > 1) sortable(t);
    if (rows > 8) tools.appendChild(filter(t, title));
    tools.appendChild(saver('CSV', title, function () { return csvOf(t); }, 'text/csv', '.csv'));
    box.parentNode.insertBefore(tools, rows > 8 ? box : box.nextSibling);
  }

  /* ---- figures ---- */

  function levels(figure, tools) {
    var frames = Array.prototype.slice.call(figure.querySelectorAll('.frame'));
    var names = (figure.getAttribute('data-columns') || '').split('|'), columns = names.length;
    var count = frames.length / columns;
    var slide = make('input', { type: 'range', min: 1, max: count, value: 1, step: 1, 'aria-label': 'Level of pooling' });
    var pick = make('select', { 'aria-label': 'Score column' });
    var told = make('output', {});
    function show() {
      var now = (slide.value - 1) * columns + pick.selectedIndex;
      frames.forEach(function (f, i) { f.hidden = i !== now; });
      told.textContent = 'level ' + slide.value + ' of ' + count;
      slide.setAttribute('aria-valuetext', told.textContent);
    }
    names.forEach(function (n) { pick.appendChild(make('option', {}, n)); });
    slide.addEventListener('input', show);
    pick.addEventListener('change', show);
    if (count > 1) {
      var label = make('label', {}, 'Level ');
      label.appendChild(slide);
      label.appendChild(told);
      tools.appendChild(label);
    }
    if (columns > 1) tools.appendChild(pick);
    show();
  }

  function picture(f) {
    var tools = make('div', { 'class': 'tools' }), csv = f.getAttribute('data-csv');
    var title = f.getAttribute('data-title') || 'figure';
    if (f.querySelector('.frame')) levels(f, tools);
    tools.appendChild(saver('SVG', title, function () {
      return svgOf(f.querySelector('.frame:not([hidden]) svg') || f.querySelector('svg'));
    }, 'image/svg+xml', '.svg'));
    if (csv) tools.appendChild(saver('CSV', title, function () { return csv; }, 'text/csv', '.csv'));
    f.appendChild(tools);
  }

  each('table', document, table);
  each('figure', document, picture);

  /* What is folded is printed too. */
  addEventListener('beforeprint', function () {
    each('details:not([open])', document, function (d) {
      d.open = true;
      d.setAttribute('data-folded', '');
    });
  });
  addEventListener('afterprint', function () {
    each('details[data-folded]', document, function (d) {
      d.open = false;
      d.removeAttribute('data-folded');
    });
  });
})();
