import { paletteOf, styleOf } from "../../public/pages/style.ts";
import { HTML_TYPE } from "../../public/pages/site.ts";
import {
  type FileServer,
  SCRIPT_TYPE,
  serveCompressed,
  STYLE_TYPE,
} from "../../_http/served_file.ts";
import { logoFile } from "../../public/logo.ts";
import { renderStudio, STUDIO_HEADERS, type StudioSite } from "./page.ts";
import clientJs from "../../../studio/client.js" with { type: "text" };
import dialogJs from "../../../studio/dialog.js" with { type: "text" };
import domJs from "../../../studio/dom.js" with { type: "text" };
import draftsAnswersJs from "../../../studio/drafts/answers.js" with { type: "text" };
import draftsCallsJs from "../../../studio/drafts/calls.js" with { type: "text" };
import draftsDraftJs from "../../../studio/drafts/draft.js" with { type: "text" };
import draftsKeptJs from "../../../studio/drafts/kept.js" with { type: "text" };
import draftsRequestsJs from "../../../studio/drafts/requests.js" with { type: "text" };
import draftsWordsJs from "../../../studio/drafts/words.js" with { type: "text" };
import formJs from "../../../studio/form.js" with { type: "text" };
import imagesJs from "../../../studio/images.js" with { type: "text" };
import keeperJs from "../../../studio/keeper.js" with { type: "text" };
import listingJs from "../../../studio/listing.js" with { type: "text" };
import mainJs from "../../../studio/main.js" with { type: "text" };
import marksJs from "../../../studio/marks.js" with { type: "text" };
import placesBoardsJs from "../../../studio/places/boards.js" with { type: "text" };
import placesDeliveryJs from "../../../studio/places/delivery.js" with { type: "text" };
import placesEditorJs from "../../../studio/places/editor.js" with { type: "text" };
import placesImportJs from "../../../studio/places/import.js" with { type: "text" };
import placesKeysJs from "../../../studio/places/keys.js" with { type: "text" };
import placesNotesJs from "../../../studio/places/notes.js" with { type: "text" };
import placesOverviewJs from "../../../studio/places/overview.js" with { type: "text" };
import placesPublishJs from "../../../studio/places/publish.js" with { type: "text" };
import placesSubscribersJs from "../../../studio/places/subscribers.js" with { type: "text" };
import placesWebhooksJs from "../../../studio/places/webhooks.js" with { type: "text" };
import previewJs from "../../../studio/preview.js" with { type: "text" };
import sheetJs from "../../../studio/sheet.js" with { type: "text" };
import studioCss from "../../../studio/studio.css" with { type: "text" };
import textsArJs from "../../../studio/texts/ar.js" with { type: "text" };
import textsDeJs from "../../../studio/texts/de.js" with { type: "text" };
import textsEnJs from "../../../studio/texts/en.js" with { type: "text" };
import textsEsJs from "../../../studio/texts/es.js" with { type: "text" };
import textsFrJs from "../../../studio/texts/fr.js" with { type: "text" };
import textsHeJs from "../../../studio/texts/he.js" with { type: "text" };
import textsItJs from "../../../studio/texts/it.js" with { type: "text" };
import textsJaJs from "../../../studio/texts/ja.js" with { type: "text" };
import textsNlJs from "../../../studio/texts/nl.js" with { type: "text" };
import textsPlJs from "../../../studio/texts/pl.js" with { type: "text" };
import textsPtJs from "../../../studio/texts/pt.js" with { type: "text" };
import textsZhJs from "../../../studio/texts/zh.js" with { type: "text" };
import uploadJs from "../../../studio/upload.js" with { type: "text" };
import writingJs from "../../../studio/writing.js" with { type: "text" };

/** The files of the studio, as they are in its folder. */
const STUDIO_FILES: Readonly<Record<string, string>> = {
  "client.js": clientJs,
  "dialog.js": dialogJs,
  "dom.js": domJs,
  "drafts/answers.js": draftsAnswersJs,
  "drafts/calls.js": draftsCallsJs,
  "drafts/draft.js": draftsDraftJs,
  "drafts/kept.js": draftsKeptJs,
  "drafts/requests.js": draftsRequestsJs,
  "drafts/words.js": draftsWordsJs,
  "form.js": formJs,
  "images.js": imagesJs,
  "keeper.js": keeperJs,
  "listing.js": listingJs,
  "main.js": mainJs,
  "marks.js": marksJs,
  "places/boards.js": placesBoardsJs,
  "places/delivery.js": placesDeliveryJs,
  "places/editor.js": placesEditorJs,
  "places/import.js": placesImportJs,
  "places/keys.js": placesKeysJs,
  "places/notes.js": placesNotesJs,
  "places/overview.js": placesOverviewJs,
  "places/publish.js": placesPublishJs,
  "places/subscribers.js": placesSubscribersJs,
  "places/webhooks.js": placesWebhooksJs,
  "preview.js": previewJs,
  "sheet.js": sheetJs,
  "studio.css": studioCss,
  "texts/ar.js": textsArJs,
  "texts/de.js": textsDeJs,
  "texts/en.js": textsEnJs,
  "texts/es.js": textsEsJs,
  "texts/fr.js": textsFrJs,
  "texts/he.js": textsHeJs,
  "texts/it.js": textsItJs,
  "texts/ja.js": textsJaJs,
  "texts/nl.js": textsNlJs,
  "texts/pl.js": textsPlJs,
  "texts/pt.js": textsPtJs,
  "texts/zh.js": textsZhJs,
  "upload.js": uploadJs,
  "writing.js": writingJs,
};

/** Makes the replies to requests for the page, which has no name, and for its files. */
export function createStudioFiles(
  site: StudioSite,
): ReadonlyMap<string, FileServer> {
  const { brand } = site;
  const page = { body: renderStudio(site), contentType: HTML_TYPE, headers: STUDIO_HEADERS };
  const texts = {
    ...STUDIO_FILES,
    "studio.css": `${paletteOf(brand)}\n${studioCss}`,
    // What public pages look like, for the preview of an entry.
    "preview.css": styleOf(brand),
  };
  const files = Object.entries(texts).map(([name, body]) => {
    const contentType = name.endsWith(".css") ? STYLE_TYPE : SCRIPT_TYPE;
    return [name, serveCompressed({ body, contentType })] as const;
  });
  return new Map([
    ["", serveCompressed(page)],
    ["logo", serveCompressed(logoFile(brand))],
    ...files,
  ]);
}
