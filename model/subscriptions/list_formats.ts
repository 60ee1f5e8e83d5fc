import { unescapeFormula } from "../values/csv.ts";
import { Refusal } from "../values/refusal.ts";
import { quote } from "../values/text.ts";
import type { ListFormatName, ListOption, ListOptions } from "./list_options.ts";
import { DECLARED_FIELDS, type RawRow } from "./rows.ts";

/** A format of lists in CSV. */
export interface ListFormat {
  /** The product's name for people. */
  readonly title: string;
  /** The columns that identify the format. */
  readonly columns: readonly string[];
  /** The columns without which a list is unreadable. Default: `columns`. */
  readonly required?: readonly string[];
  /** Optional columns. */
  readonly others?: readonly string[];
  /** Whether a list must have exactly these columns: others might show who has left. */
  readonly isExact?: boolean;
  /** Alternative headings for columns, such as in other languages. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** The options that apply to this format. */
  readonly options?: readonly ListOption[];
  /** Reads a row. `cells` returns the text in a column; empty if there is no such column. */
  readonly read: (cells: Cells, options: ListOptions) => RawRow;
}

type Cells = (column: string) => string;

/** The states of a product, by their lower-case names. */
type States = Readonly<Record<string, boolean | Refusal>>;

const GONE = new Refusal("invalid_value", "can't be known: deleted_at says that they are gone");
const ENABLED_IN_LISTMONK: States = {
  unknown: new Refusal(
    "required",
    'can\'t be known: in listmonk, who is "enabled" may have left the list or never confirmed; export ' +
      "those of one subscription status, and name it by listStatus (--list-status confirmed)",
  ),
  confirmed: true,
  unconfirmed: new Refusal("invalid_value", "can't be true: they have not confirmed"),
  unsubscribed: false,
};
const NO_STATE = new Refusal(
  "required",
  "can't be known: Mailchimp writes a file for each state, and doesn't say in it which; name it by " +
    "state (--state subscribed, unsubscribed or cleaned)",
);
const EVIDENCE = ["OPTIN_TIME", "OPTIN_IP", "CONFIRM_TIME"] as const;
const HINT = "; name other words by true and false (--true WORD, --false WORD)";
// Words of spreadsheets for TRUE and FALSE, in the languages of the pages.
const TRUE = [
  "true",
  "wahr",
  "verdadero",
  "vrai",
  "vero",
  "waar",
  "prawda",
  "verdadeiro",
  "صح",
  "אמת",
  "真",
];
const FALSE = [
  "false",
  "falsch",
  "falso",
  "faux",
  "onwaar",
  "fałsz",
  "خطأ",
  "שקר",
  "偽",
  "假",
];

/** The formats of lists, each in the form of its product's export. */
export const LIST_FORMATS: Readonly<Record<ListFormatName, ListFormat>> = {
  // The output of `subscribers export`, and any sheet with an address column.
  boardcast: {
    title: "Boardcast",
    columns: ["userEmail", "subscribed"],
    others: ["userName", "labels", "pace", ...DECLARED_FIELDS],
    options: ["columns", "state", "true", "false"],
    read(cells, options) {
      // An export always contains the pace; a sheet without it contains no labels of ours either.
      const [subscribed, pace, labels] = ["subscribed", "pace", "labels"].map(cells);
      return {
        userEmail: unescapeFormula(cells("userEmail")),
        userName: unescapeFormula(cells("userName")),
        subscribed: options.state !== undefined
          ? options.state === "subscribed"
          : subscribed === ""
          ? new Refusal("required", "is required")
          : readBoolean(subscribed, options, HINT),
        ...pace !== "" && { pace },
        ...(pace !== "" || labels !== "") && { labels: unescapeFormula(labels) },
        valueOf: (name) => unescapeFormula(cells(name)),
      };
    },
  },
  // The column `status` belongs to the person, not to the list; the list's status is only in the
  // export request.
  listmonk: {
    title: "listmonk",
    columns: ["uuid", "email", "attributes", "status"],
    required: ["email", "status"],
    others: ["name", "created_at", "updated_at"],
    options: ["listStatus"],
    read(cells, { listStatus = "unknown" }) {
      const enabled = ENABLED_IN_LISTMONK[listStatus];
      const states = { enabled, disabled: false, blocklisted: false };
      const subscribed = readStatus(cells("status"), states);
      return {
        userEmail: cells("email"),
        userName: cells("name"),
        subscribed,
        createdAt: cells("created_at"),
        // Editing a contact changes this time too, so it proves nothing about subscribers.
        ...subscribed === false && { since: cells("updated_at") },
      };
    },
  },
  // The format has no times. Later versions add `External ID`.
  keila: {
    title: "Keila",
    columns: ["Email", "First name", "Last name", "Data", "Status"],
    required: ["Email", "Status"],
    others: ["First name", "Last name"],
    read: (cells) => ({
      userEmail: cells("Email"),
      userName: joinNames(cells("First name"), cells("Last name")),
      subscribed: readStatus(cells("Status"), {
        active: true,
        unsubscribed: false,
        unreachable: false,
      }),
    }),
  },
  // The columns after `subscribed_to_emails` differ by version.
  ghost: {
    title: "Ghost",
    columns: ["email", "subscribed_to_emails"],
    others: ["name", "created_at", "deleted_at"],
    read: (cells) => ({
      userEmail: cells("email"),
      userName: cells("name"),
      subscribed: cells("deleted_at").trim() === ""
        ? readBoolean(cells("subscribed_to_emails"))
        : GONE,
      createdAt: cells("created_at"),
    }),
  },
  mailchimp: {
    title: "Mailchimp",
    // The other headings follow the language of the account.
    columns: ["OPTIN_TIME"],
    required: ["Email Address"],
    others: ["First Name", "Last Name", ...EVIDENCE, "UNSUB_TIME", "CLEAN_TIME"],
    options: ["state"],
    aliases: {
      "Email Address": [
        "E-Mail-Adresse",
        "Dirección de correo electrónico",
        "Correo electrónico",
        "Adresse e-mail",
        "Adresse email",
        "Indirizzo e-mail",
        "Indirizzo email",
        "Endereço de e-mail",
        "Endereço de email",
        "E-mailadres",
        "Adres e-mail",
      ],
      "First Name": ["Vorname", "Nombre", "Prénom", "Nome", "Voornaam", "Imię"],
      "Last Name": [
        "Nachname",
        "Apellido",
        "Apellidos",
        "Nom",
        "Nom de famille",
        "Cognome",
        "Sobrenome",
        "Achternaam",
        "Nazwisko",
      ],
    },
    read(cells, { state }) {
      const [optIn, confirmation] = [cells("OPTIN_TIME"), cells("CONFIRM_TIME")];
      const left = ["UNSUB_TIME", "CLEAN_TIME"].find((column) => cells(column).trim() !== "");
      const isSubscribed = state === "subscribed";
      const evidence = EVIDENCE.map((column) => [column, cells(column)] as const)
        .filter(([, text]) => text !== "");
      return {
        userEmail: cells("Email Address"),
        userName: joinNames(cells("First Name"), cells("Last Name")),
        subscribed: state === undefined
          ? NO_STATE
          : isSubscribed && left !== undefined
          ? new Refusal("invalid_value", `can't be true: the row has a time in ${left}`)
          : isSubscribed,
        createdAt: optIn || confirmation,
        since: isSubscribed ? confirmation || optIn : cells("UNSUB_TIME") || cells("CLEAN_TIME"),
        ...evidence.length > 0 && { evidence: Object.fromEntries(evidence) },
      };
    },
  },
  "changes.page": {
    title: "changes.page",
    columns: ["email", "created_at"],
    isExact: true,
    read: (cells) => ({
      userEmail: cells("email"),
      userName: "",
      subscribed: true,
      createdAt: cells("created_at"),
    }),
  },
  productlift: {
    title: "ProductLift",
    columns: ["Name", "Email", "Subscribed At"],
    isExact: true,
    read: (cells) => ({
      userEmail: cells("Email"),
      userName: cells("Name"),
      subscribed: true,
      createdAt: cells("Subscribed At"),
    }),
  },
};

function readStatus(text: string, states: States): boolean | Refusal {
  const [, known] = Object.entries(states).find(([word]) => word === text.toLowerCase()) ?? [];
  const words = Object.keys(states).join(", ");
  return known ??
    new Refusal("invalid_value", `can't be known: the status ${quote(text)} is none of ${words}`);
}

/** Reads a spreadsheet's word for true or false, in any case, or a word chosen for this list. */
function readBoolean(
  text: string,
  { true: named = [], false: refused = [] }: Pick<ListOptions, "true" | "false"> = {},
  hint = "",
): boolean | Refusal {
  const word = text.trim().toLowerCase();
  if (named.includes(word) && refused.includes(word)) {
    return new Refusal("invalid_value", `is ${quote(text)}, which is named for true and for false`);
  }
  if (named.includes(word)) return true;
  if (refused.includes(word)) return false;
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  return new Refusal("invalid_value", `must be true or false, and is ${quote(text)}${hint}`);
}

/** Joins the parts of a name. */
function joinNames(...names: readonly string[]): string {
  return names.map((name) => name.trim()).filter((name) => name !== "").join(" ");
}
