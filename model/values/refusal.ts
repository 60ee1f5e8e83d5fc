/** Stable codes for why the value of a field was refused. */
export const REFUSAL_CODES = [
  "unknown_field",
  "required",
  "invalid_type",
  "invalid_email",
  "invalid_value",
  "too_long",
  "unsupported_characters",
] as const;

/** One of the {@linkcode REFUSAL_CODES}. */
export type RefusalCode = typeof REFUSAL_CODES[number];

/**
 * Why a value is not acceptable. The `parse…` functions of the model return the
 * accepted value or a `Refusal`; they never throw.
 */
export class Refusal {
  /** The stable code. */
  readonly code: RefusalCode;
  /** The fault, for people, worded to follow the name of the field. */
  readonly detail: string;

  /** Creates a refusal whose `detail` follows the name of the field. */
  constructor(code: RefusalCode, detail: string) {
    this.code = code;
    this.detail = detail;
  }
}

/** Why a file can't be imported at all. */
export class UnusableFile extends Error {
  /** Always `UnusableFile`. */
  override readonly name = "UnusableFile";
}
