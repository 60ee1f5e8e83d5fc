import type { AnyKind, Item, Kind } from "./kind.ts";

export interface KindRecord {
  readonly kind: AnyKind;
  readonly record: Item;
}

/**
 * A change of stored records that defaults can't make: a pure function, which each storage applies
 * in its own way.
 */
export interface Step {
  /** The version of the layout that it leads to. */
  readonly to: number;
  /** The kind whose records it moves; its earlier declaration if it is gone. */
  readonly kind: AnyKind;
  /**
   * Returns the records that replace one: at most one of its kind, which keeps its key, and any
   * number of kinds that no step moves. The record may lack fields that came after it was stored,
   * and has those that are gone. Fields that a result lacks get their defaults.
   */
  readonly move: (record: Item) => readonly KindRecord[];
}

/** The kinds of a version, and the way to it from earlier versions. */
export interface Layout {
  readonly version: number;
  readonly kinds: readonly AnyKind[];
  /** The steps in the order of their versions. */
  readonly steps: readonly Step[];
  /** The first version that can be migrated. */
  readonly first: FirstLayout;
}

/** The layout of version 1, by which storage that is older is told apart. */
export interface FirstLayout {
  /** The fields by the name of their kind, separated by spaces. */
  readonly fields: Readonly<Record<string, string>>;
  /** The indexes of its database that are gone or have another name. */
  readonly indexes: readonly string[];
}

/** Returns the steps that lead from a version to that of a layout. */
export function stepsFrom(version: number, { steps }: Layout): readonly Step[] {
  return steps.filter(({ to }) => to > version);
}

/** Applies steps to a record; returns complete records that replace it. */
export function moveRecord(steps: readonly Step[], moved: KindRecord): readonly KindRecord[] {
  const [step, ...later] = steps;
  if (step === undefined) return [{ ...moved, record: withFieldsOf(moved.kind, moved.record) }];
  if (step.kind.name !== moved.kind.name) return moveRecord(later, moved);
  return step.move(moved.record).flatMap((next) => {
    const isOwn = next.kind.name === step.kind.name;
    const isOther = !isOwn && steps.every(({ kind }) => kind.name !== next.kind.name);
    if (isOther || (isOwn && next.record[next.kind.key] === moved.record[step.kind.key])) {
      return moveRecord(later, next);
    }
    throw new TypeError(`A step of ${step.kind.name} makes a record of ${next.kind.name}`);
  });
}

/** Tells the first field of version 1 that a record lacks; `undefined` if it has all. */
export function missingIn(
  { fields }: FirstLayout,
  kind: Pick<AnyKind, "name">,
  record: Item,
): string | undefined {
  return fields[kind.name]?.split(" ").find((name) => record[name] === undefined);
}

/** Returns the reason why data from before version 1 is refused, and the remedy. */
export function refusalOfOlder(storage: string, sign: string): string {
  return `Cannot use the ${storage}: it was made before version 1 of what is stored (${sign}), and ` +
    "can't be migrated; keep it, export from it with the program that made it, and import into an " +
    "empty one";
}

/** Returns a record with the fields of its kind and no others. */
function withFieldsOf(kind: AnyKind, record: Item): Item {
  const full = fillIn(kind, record);
  return Object.fromEntries(Object.keys(kind.fields).map((name) => [name, full[name]]));
}

/** Returns a record with all fields of its kind; defaults replace missing ones. */
export function fillIn<T>(kind: Kind<T> | AnyKind, record: T): T {
  const { fields, defaults = {} } = kind as AnyKind;
  for (const name in fields) {
    if ((record as Item)[name] !== undefined) continue;
    const inOrder = Object.keys(fields).map((name) => [name, defaults[name]]);
    return Object.freeze({ ...Object.fromEntries(inOrder), ...record });
  }
  return record;
}
