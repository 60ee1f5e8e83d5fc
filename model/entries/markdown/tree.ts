/** A parsed text: its blocks, in order. */
export type MarkdownTree = readonly MarkdownBlock[];

/** A block, which consists of whole lines. */
export type MarkdownBlock =
  | { readonly type: "paragraph"; readonly children: readonly MarkdownInline[] }
  /** The level, 1 to 6. */
  | {
    readonly type: "heading";
    readonly level: number;
    readonly children: readonly MarkdownInline[];
  }
  | MarkdownList
  | { readonly type: "quote"; readonly children: MarkdownTree }
  | {
    readonly type: "code_block";
    /** The first word after the fence; empty if there is none. */
    readonly language: string;
    /** The lines, each with a line feed. */
    readonly text: string;
  }
  | MarkdownTable
  | { readonly type: "thematic_break" };

/** A part of a paragraph or a heading. A line feed in a text is a soft break. */
export type MarkdownInline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "hard_break" }
  | { readonly type: MarkdownSpan; readonly children: readonly MarkdownInline[] }
  | { readonly type: "checkbox"; readonly isChecked: boolean }
  | MarkdownLink
  | MarkdownImage;

/** A part of a text with a format. */
export type MarkdownSpan = "emphasis" | "strong" | "strikethrough";

/** A list of items. */
export interface MarkdownList {
  readonly type: "list";
  /** The number of the first item; `undefined` if the list is not ordered. */
  readonly start: number | undefined;
  /** Whether no blank line separates its items or their blocks. */
  readonly isTight: boolean;
  readonly items: readonly MarkdownTree[];
}

/** A table with a row of headings. */
export interface MarkdownTable {
  readonly type: "table";
  /** The alignment of each column; `undefined` leaves it to the reader. */
  readonly alignments: readonly (MarkdownAlignment | undefined)[];
  /** The headings of the columns. */
  readonly header: readonly MarkdownCell[];
  /** The other rows, none with more cells than there are columns. */
  readonly rows: readonly (readonly MarkdownCell[])[];
}

/** The alignment of a table column. */
export type MarkdownAlignment = "left" | "center" | "right";

/** The content of a cell of a table. */
export type MarkdownCell = readonly MarkdownInline[];

export interface MarkdownLink {
  readonly type: "link";
  /** Absolute and percent-encoded: http, https or mailto. */
  readonly url: string;
  readonly title: string;
  readonly children: readonly MarkdownInline[];
}

export interface MarkdownImage {
  readonly type: "image";
  /** Absolute and percent-encoded: http or https. */
  readonly url: string;
  readonly title: string;
  /** The text alternative of the image. */
  readonly alt: string;
  /** The displayed size of a stored image in pixels; absent if unknown. */
  readonly size?: { readonly width: number; readonly height: number } | undefined;
}

/**
 * The maximum nesting of containers (quotes and list items), and of inlines. Deeper parts keep
 * their text without formatting, so walking a tree cannot exhaust the stack.
 */
export const MARKDOWN_MAX_NESTING = 16;
