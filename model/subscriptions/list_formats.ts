import { unescapeFormula } from "../values/csv.ts";
import { Refusal } from "../values/refusal.ts";
import { quote } from "../values/text.ts";
import type { ListFormatName, ListOption, ListOptions } from "./list_options.ts";
import type { RawRow } from "./rows.ts";

/** A format of lists in CSV. */
export interface ListFormat {
  /** What people call the product. */
  readonly title: string;
  /** The columns by which it is known. */
  readonly columns: readonly string[];
  /** The columns without which it can't be read at all. Default: `columns`. */
  readonly required?: readonly string[];
  /** Others that are read. */
  readonly others?: readonly string[];
  /** Whether it has these columns and no others: more of them might say who left. */
  readonly isExact?: boolean;
  /** Other headings for columns, such as in other languages. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** The options that are for lists of this format. */
  readonly options?: readonly ListOption[];
  /** Reads a row, of which `cells` has the text in a column; empty where there is no such column. */
  readonly read: (cells: Cells, options: ListOptions) => RawRow;
}

type Cells = (column: string) => string;

/** A state, by the words that a product has for it in small letters. */
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
// What spreadsheets write for TRUE and FALSE, in the languages of the pages.
const TRUE = [
  ...["true", "wahr", "verdadero", "vrai", "vero", "waar", "prawda", "verdadeiro"],
  ...["صح", "אמת", "真"],
];
const FALSE = [
  ...["false", "falsch", "falso", "faux", "onwaar", "fałsz"],
  ...["خطأ", "שקר", "偽", "假"],
];

/** The formats of lists, each in what its product exports. */
export const LIST_FORMATS: Readonly<Record<ListFormatName, ListFormat>> = {
  // What `subscribers export` prints, and any sheet with an address column.
  boardcast: {
    title: "Boardcast",
    columns: ["userEmail", "subscribed"],
    others: ["userName", "labels", "pace"],
    options: ["columns", "state", "true", "false"],
    read(cells, options) {
      // An export always says at which pace; a sheet without that column says nothing of labels either.
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
        ...(pace !== "" || labels !== "") && { labels },
      };
    },
  },
  // The column `status` is of the person, not of the list, which only the request of the export named.
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
        // An edit moves it too: it tells nothing of who is subscribed.
        ...subscribed === false && { since: cells("updated_at") },
      };
    },
  },
  // It has no times. `External ID` came later.
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
  // What follows `subscribed_to_emails` differs by version.
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
    // The language of the account is that of the others.
    columns: ["OPTIN_TIME"],
    required: ["Email Address"],
    others: ["First Name", "Last Name", ...EVIDENCE, "UNSUB_TIME", "CLEAN_TIME"],
    options: ["state"],
    aliases: {
      "Email Address": [
        ...["E-Mail-Adresse", "Dirección de correo electrónico", "Correo electrónico"],
        ...["Adresse e-mail", "Adresse email", "Indirizzo e-mail", "Indirizzo email"],
        ...["Endereço de e-mail", "Endereço de email", "E-mailadres", "Adres e-mail"],
      ],
      "First Name": ["Vorname", "Nombre", "Prénom", "Nome", "Voornaam", "Imię"],
      "Last Name": [
        ...["Nachname", "Apellido", "Apellidos", "Nom", "Nom de famille", "Cognome", "Sobrenome"],
        ...["Achternaam", "Nazwisko"],
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
          ? new Refusal("invalid_value", `can't be true: they have a ${left}`)
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

/** Reads the words of spreadsheets for true and false, in any case, and those that are named for a list. */
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
