/** Stable codes for the reasons of refused values. */
export const REFUSAL_CODES = [
  "unknown_field",
  "required",
  "invalid_type",
  "invalid_email",
  "invalid_value",
  "too_long",
  "unsupported_characters",
  "fixed",
] as const;

/** One of the {@linkcode REFUSAL_CODES}. */
export type RefusalCode = typeof REFUSAL_CODES[number];

/**
 * The reason why a value is refused. The `parse…` functions of the model return the accepted value
 * or a `Refusal`; they never throw.
 */
export class Refusal {
  /** The stable code. */
  readonly code: RefusalCode;
  /** The reason for people, worded to follow the field's name. */
  readonly detail: string;

  /** Creates a refusal whose `detail` follows the name of the field. */
  constructor(code: RefusalCode, detail: string) {
    this.code = code;
    this.detail = detail;
  }
}

/** The reason why a whole file can't be imported. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
}
