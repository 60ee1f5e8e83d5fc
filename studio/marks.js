/**
 * Puts marks around what is selected in a field of Markdown, or takes them away. The browser's own undo
 * still works, as it is done as if typed.
 *
 * @param {HTMLTextAreaElement} field
 * @param {string} before
 * @param {string} after
 */
export function surround(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const text = value.slice(start, end);
  const isMarked = value.slice(0, start).endsWith(before) && value.slice(end).startsWith(after);
  field.focus();
  if (isMarked) {
    field.setSelectionRange(start - before.length, end + after.length);
    type(field, text);
    field.setSelectionRange(start - before.length, end - before.length);
    return;
  }
  type(field, before + text + after);
  field.setSelectionRange(start + before.length, end + before.length);
}

/**
 * Makes a link of what is selected, and selects where its address goes.
 *
 * @param {HTMLTextAreaElement} field
 */
export function link(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const text = value.slice(start, end);
  field.focus();
  if (/^https?:\/\/\S+$/.test(text)) {
    type(field, `[](${text})`);
    field.setSelectionRange(start + 1, start + 1);
  } else {
    type(field, `[${text}](https://)`);
    const from = text === "" ? start + 1 : start + text.length + 3;
    field.setSelectionRange(from, text === "" ? from : from + 8);
  }
}

/**
 * Puts a mark in front of each selected line, or takes it away.
 *
 * @param {HTMLTextAreaElement} field
 * @param {string} mark
 */
export function prefix(field, mark) {
  const { value } = field;
  const start = value.lastIndexOf("\n", field.selectionStart - 1) + 1;
  const stop = value.indexOf("\n", field.selectionEnd);
  const end = stop < 0 ? value.length : stop;
  const lines = value.slice(start, end).split("\n");
  const isMarked = lines.every((line) => line.startsWith(mark));
  const text = lines.map((line) => isMarked ? line.slice(mark.length) : mark + line).join("\n");
  field.focus();
  field.setSelectionRange(start, end);
  type(field, text);
  field.setSelectionRange(start, start + text.length);
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {string} text
 */
function type(field, text) {
  if (!document.execCommand(text === "" ? "delete" : "insertText", false, text)) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
