/** Why a file can't be imported at all. */
export class UnusableFile extends Error {
  /** Always `UnusableFile`. */
  override readonly name = "UnusableFile";
}
