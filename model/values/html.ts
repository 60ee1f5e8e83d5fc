import { escapeHtml } from "../../std.ts";

/** Markup in which all text is escaped. */
export interface Html {
  readonly html: string;
}

/** The value of a template: text gets escaped, markup stays as it is, and `undefined` is empty. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

/** Creates markup from a template. Values may appear only in text and quoted attributes. */
export function markup(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let html = template[0];
  values.forEach((value, index) => html += render(value) + template[index + 1]);
  return { html };
}

/** Puts a separator between values. */
export function separate(separator: string, values: readonly HtmlValue[]): HtmlValue {
  return values.map((value, index) => index === 0 ? value : [separator, value]);
}

function render(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return `${value}`;
  return "html" in value ? value.html : value.map(render).join("");
}
