import { textsOf } from "../../../model/locales/locales.ts";
import { type Choices, MAX_OFFERED } from "../../../model/subscriptions/choices.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { PublicSite } from "../_page/site.ts";

/** The choices of a person, and the options of the form. */
export interface OfferedChoices extends Choices {
  /** The address that the form is sent to. */
  readonly action: string;
  /** The entries in this week's mail so far. */
  readonly week: readonly { readonly title: string; readonly url: string }[];
  /** The labels to choose from. */
  readonly offered: readonly string[];
  /** Whether the choice has just been saved. */
  readonly isSaved?: boolean;
  /** The reason why the choice was not saved, in the person's language. */
  readonly problem?: string | undefined;
}

/** Renders the form by which people choose their mails. */
export function renderChoicesForm(
  site: PublicSite,
  { action, offered, labels, pace, week, isSaved = false, problem }: OfferedChoices,
): Html {
  const texts = textsOf(site.language);
  const checked = (is: boolean) => is ? markup` checked` : undefined;
  const radio = (name: string, value: string, label: string, is: boolean) =>
    markup`
<p><label><input type="radio" name="${name}" value="${value}"${checked(is)}> ${label}</label></p>`;
  const all = [...new Set([...labels ?? [], ...offered])].slice(0, MAX_OFFERED);
  const boxes = all.map((label, index) =>
    markup`
<p><label><input type="checkbox" name="label${index + 1}" value="${label}"${
      checked(labels?.includes(label) === true)
    }> <bdi>${label}</bdi></label></p>`
  );
  const byLabel = all.length === 0 ? undefined : markup`
<fieldset><legend>${texts.labels}</legend>${
    radio("choose", "all", texts.everything, labels === null)
  }${radio("choose", "some", texts.onlyLabels, labels !== null)}${boxes}
</fieldset>`;
  const isWeekShown = week.length > 0 && (pace === "weekly" || isSaved);
  const items = week.map(({ title, url }) =>
    markup`
<li dir="auto"><a href="${url}">${title}</a></li>`
  );
  const soFar = isWeekShown
    ? markup`
<h2>${texts.weekSoFar}</h2>
<ul>${items}
</ul>`
    : undefined;
  return markup`
<form method="post" action="${action}" class="choices">
<h2>${texts.choose}</h2>${isSaved ? markup`\n<p role="status">${texts.saved}</p>` : undefined}${
    problem === undefined ? undefined : markup`\n<p role="alert">${problem}</p>`
  }${byLabel}
<fieldset><legend>${texts.howOften}</legend>${
    radio("pace", "each", texts.paceEach, pace === "each")
  }${radio("pace", "weekly", texts.paceWeekly, pace === "weekly")}
</fieldset>
<p><button>${texts.save}</button></p>
</form>${soFar}`;
}
