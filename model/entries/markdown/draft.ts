import type { MarkdownAlignment } from "./tree.ts";

/** A block whose inlines are not parsed yet. `last` is the number of its last line. */
export type Draft =
  | { readonly type: "heading"; readonly level: number; readonly text: string; last: number }
  | { readonly type: "thematic_break"; last: number }
  | ParagraphDraft
  | CodeDraft
  | TableDraft
  | QuoteDraft
  | ListDraft;

/** A paragraph that may have further lines. */
export interface ParagraphDraft {
  readonly type: "paragraph";
  readonly lines: string[];
  last: number;
}

/** A code block that may have further lines. */
export interface CodeDraft {
  readonly type: "code_block";
  /** Empty for code that is indented instead. */
  readonly fence: string;
  /** The columns before the fence, which each line of the code loses. */
  readonly indent: number;
  readonly info: string;
  readonly lines: string[];
  last: number;
}

/** A table that may have further rows. */
export interface TableDraft {
  readonly type: "table";
  readonly alignments: readonly (MarkdownAlignment | undefined)[];
  /** The cells of each row, the header first. */
  readonly rows: (readonly string[])[];
  last: number;
}

/** A block quote, or the document. */
export interface QuoteDraft {
  readonly type: "quote";
  readonly children: Draft[];
  last: number;
}

/** A list that may have further items. */
export interface ListDraft {
  readonly type: "list";
  /** The marker of each item: a bullet, or the character after the number. */
  readonly marker: string;
  readonly start: number | undefined;
  readonly children: ItemDraft[];
  isTight: boolean;
  last: number;
}

/** An item of a list that may have further blocks. */
export interface ItemDraft {
  readonly type: "item";
  readonly list: ListDraft;
  /** The number of columns before the content; further lines have this indent. */
  readonly width: number;
  readonly children: Draft[];
  last: number;
}

/** Returns the number of the last line of a block, without trailing blank lines. */
export function lastLineOf(block: Draft): number {
  let end: Draft | ItemDraft = block;
  while (end.type === "list" || end.type === "item") {
    const child: Draft | ItemDraft | undefined = end.children.at(-1);
    if (child === undefined) break;
    end = child;
  }
  return end.last;
}
