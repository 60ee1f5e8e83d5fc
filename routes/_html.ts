/** Markup that is safe to send: what came from elsewhere is escaped in it. */
export interface Html {
  readonly markup: string;
}

/** What a template takes: text is escaped, markup is not; nothing stands for nothing. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Makes markup from a template. Values may stand in text and in quoted attributes only. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = template[0];
  values.forEach((value, index) => markup += render(value) + template[index + 1]);
  return { markup };
}

/** Escapes text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char]);
}

function render(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return `${value}`;
  return "markup" in value ? value.markup : value.map(render).join("");
}
