import { createElement, type MarkupElement, type MarkupNode, textOf } from "./markup.ts";

/** The name of a temporary element for an item that is not in a list yet. */
const ITEM = "list-item";

/** Tells whether a node is an item that is not in a list yet, or white space between such items. */
export function isListItem(node: MarkupNode): boolean {
  return typeof node === "string" ? node.trim() === "" : node.name === ITEM;
}

/**
 * Returns the items of a list in the form of Word on the web, which stores the level in each item.
 */
export function listItemsOf(list: MarkupElement): readonly MarkupElement[] | undefined {
  const items = list.children.filter((child): child is MarkupElement => typeof child !== "string");
  if (items.length === 0 || !items.every(({ attributes }) => attributes.has("data-aria-level"))) {
    return undefined;
  }
  const first = Number(list.attributes.get("start") ?? 1);
  return items.map(({ children, attributes }, index) =>
    itemOf(children, {
      level: attributes.get("data-aria-level")!,
      kind: list.name,
      start: first + index,
    })
  );
}

/** Turns a paragraph of Word with a list level and marker into an item; `undefined` for others. */
export function wordItemOf(
  own: MarkupElement,
  original: MarkupElement,
): MarkupElement | undefined {
  const style = own.attributes.get("style") ?? "";
  const [, level] = /mso-list:\s{0,9}\S{1,40}\s{1,9}level(\d)/i.exec(style) ?? [];
  if (level === undefined) return undefined;
  const mark = original.children.map((child) => typeof child === "string" ? "" : markIn(child))
    .join("").trim();
  const isNumbered = /^(?:\d{1,9}|[A-Za-z]{1,3})[.)]/.test(mark);
  const start = Number(/^\d{1,9}/.exec(mark)?.[0] ?? 1);
  return itemOf(own.children, { level, kind: isNumbered ? "ol" : "ul", start });
}

function itemOf(
  children: readonly MarkupNode[],
  { level, kind, start }: { readonly level: string; readonly kind: string; readonly start: number },
): MarkupElement {
  return createElement(
    ITEM,
    children,
    new Map([["level", level], ["kind", kind], ["start", `${start}`]]),
  );
}

function markIn(child: MarkupElement): string {
  if (/mso-list:\s{0,9}ignore/i.test(child.attributes.get("style") ?? "")) return textOf(child);
  return child.children.map((inner) => typeof inner === "string" ? "" : markIn(inner)).join("");
}

/** Collects items into lists, and moves a list inside a list into the item before it. */
export function gatherLists(parent: string, nodes: readonly MarkupNode[]): readonly MarkupNode[] {
  const found: MarkupNode[] = [];
  const isList = parent === "ul" || parent === "ol";
  // The open lists that the next item may belong to, innermost last.
  let open: MarkupElement[] = [];
  for (const node of nodes) {
    if (typeof node === "string" && node.trim() === "" && (open.length > 0 || isList)) continue;
    if (typeof node !== "string" && node.name === ITEM) {
      const depth = Math.max(
        1,
        Math.min(Number(node.attributes.get("level")) || 1, open.length + 1),
      );
      const kind = node.attributes.get("kind")!;
      open = open.slice(0, open[depth - 1]?.name === kind ? depth : depth - 1);
      const item = createElement("li", node.children);
      if (open.length === depth) open[depth - 1].children.push(item);
      else {
        const list = createElement(
          kind,
          [item],
          new Map([["start", node.attributes.get("start")!]]),
        );
        const last = open.at(-1)?.children.at(-1);
        if (typeof last === "object") last.children.push(list);
        else found.push(list);
        open.push(list);
      }
      continue;
    }
    open = [];
    const before = found.at(-1);
    const isNested = isList && typeof node !== "string" && /^[uo]l$/.test(node.name);
    if (isNested && typeof before === "object" && before.name === "li") before.children.push(node);
    else found.push(node);
  }
  return found;
}
