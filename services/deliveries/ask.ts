/** A person's request to be told about a post. */
export interface Ask {
  readonly postId: string;
  readonly title: string;
  /** The time at which they asked (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}
