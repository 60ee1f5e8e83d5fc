import type { Texts } from "./locale.ts";

// “Je”, as most services write by now.
/** The texts in Dutch. */
export const nl: Texts = {
  about: "Wat er nieuw is, het nieuwste eerst",
  skip: "Naar de inhoud",
  changelog: "Nieuws",
  feeds: "Volgen via feed",
  labels: "Labels",
  labelled: (label) => `Met het label “${label}”`,
  pages: "Pagina’s",
  newerEntries: "Nieuwere berichten",
  olderEntries: "Oudere berichten",
  allEntries: "Alle berichten",
  newerEntry: "Nieuwer",
  olderEntry: "Ouder",
  readMoreAt: (host) => `Lees meer op ${host}`,
  nothingYet: "Er is nog niets gepubliceerd",
  nothingYetHint: "Volg de feed om van het eerste bericht te horen.",
  nothingLabelled: "Er is geen bericht met dit label",
  search: "Zoeken",
  found: (q) => `Resultaten voor ‘${q}’`,
  nothingFound: "Niets gevonden",
  nothingFoundHint: "Probeer het met minder of andere woorden.",
  preview: "Dit is een voorbeeld. Het bericht is misschien nog niet gepubliceerd.",

  notFound: "Hier is niets",
  notFoundHint: "Het bericht is misschien ingetrokken, of het adres is niet compleet.",
  unreadable: "Dit adres werkt niet",
  unreadableHint: "Een deel ervan ontbreekt of is onderweg veranderd.",
  unavailable: "We kunnen deze pagina nu niet tonen",
  unavailableHint: "Probeer het over een minuut opnieuw.",
  whatIsNew: "Bekijk wat er nieuw is",

  signUp: "Nieuws per e-mail",
  signUpHint: "Eén e-mail per nieuwtje. Je kunt je altijd afmelden.",
  email: "E-mailadres",
  name: "Naam (optioneel)",
  subscribe: "Aanmelden",
  leaveEmpty: "Laat dit veld leeg",
  badEmail: "Vul een e-mailadres in zoals naam@example.com.",
  badName: "Vul een naam in van hoogstens 200 tekens, zonder stuurtekens.",
  lookForMail: "Kijk in je mailbox",
  lookForMailHint:
    "Open de link erin om te bevestigen. Kreeg je vandaag al een e-mail van ons, dan toont de link daarin " +
    "dit ook. Is er na een paar minuten nog niets, kijk dan in de map met spam.",
  confirm: "Bevestig je aanmelding",
  confirmHint: (userEmail) => `We sturen het nieuws naar ${userEmail}.`,
  confirmed: "Je bent aangemeld",
  confirmedHint:
    "We sturen je een e-mail bij elk nieuwtje. In elke e-mail staat een link om je af te melden.",
  expired: "Deze link is verlopen",
  expiredHint: "Vul je adres nog eens in om een nieuwe te krijgen.",
  badLink: "Deze link is niet compleet",
  badLinkHint: "Kopieer hem helemaal uit de e-mail.",

  unsubscribe: "Afmelden",
  unsubscribeQuestion: "Geen e-mails meer?",
  unsubscribeHint: "We sturen je dan geen nieuws meer.",
  unsubscribed: "Je bent afgemeld",
  unsubscribedHint: "We sturen je geen nieuws meer.",
  endAsks: "Geen e-mails meer over wat ik heb gevraagd",
  asksEnded: "We sturen je geen e-mails meer over wat je hebt gevraagd.",
  choose: "Kies wat je krijgt",
  everything: "Alles",
  onlyLabels: "Alleen nieuws met een van deze labels:",
  howOften: "Hoe vaak",
  paceEach: "Een e-mail voor elk nieuwtje",
  paceWeekly: "Eén e-mail per week",
  save: "Opslaan",
  saved: "Je keuze is opgeslagen.",
  tooManyLabels: (max) => `Te veel labels: er is niets opgeslagen. Hoogstens: ${max}`,
  noLabel: "Kies een label of “Alles”: er is niets opgeslagen.",
  weekSoFar: "Deze week tot nu toe",
  weekly: (title) => `De week bij ${title}`,

  preheader: (title) => `Nieuws van ${title}`,
  readOnWeb: "Lees op het web",
  learnMore: "Meer informatie",
  youAsked: (day, title) => `Je vroeg hierom op ${day}: ${title}`,
  whyYouGetThis: (title) => `Je krijgt deze e-mail omdat je bent aangemeld voor ${title}.`,
  notTracked:
    "Deze e-mail wordt niet gevolgd: niemand komt te weten of je hem opent of op de links klikt.",
  test: "Test",

  confirmSubject: (title) => `Bevestig je aanmelding voor ${title}`,
  confirmRequest: (title, userEmail) =>
    `Iemand, hopelijk jij, heeft gevraagd om nieuws van ${title} naar ${userEmail} te sturen.`,
  confirmLink: "Aanmelding bevestigen",
  confirmIgnore:
    "De link is 7 dagen geldig. Was jij het niet, negeer deze e-mail dan: je wordt niet aangemeld.",
  alreadySubject: (title) => `Je bent al aangemeld voor ${title}`,
  alreadyText: (title, userEmail) =>
    `Iemand, hopelijk jij, heeft gevraagd om nieuws van ${title} naar ${userEmail} te sturen. ` +
    "Je krijgt het al, je hoeft niets te doen.",

  unread: (count) => `Ongelezen: ${count}`,
  close: "Sluiten",
};
