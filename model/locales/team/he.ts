import { isolate } from "../locale.ts";
import type { TeamTexts } from "./team_texts.ts";

/** The texts in Hebrew. */
export const he: TeamTexts = {
  welcome: (title) => `ברוכים הבאים אל ${isolate(title)}`,
  invitationFor: (userName, userEmail) =>
    `ההזמנה הזאת מיועדת אל ${isolate(userName)}, ${isolate(userEmail)}.`,
  signIn: "כניסה",
  firstTitle: (title) => `הגדרת ${isolate(title)}`,
  firstHint: "אתם תהיו המנהלים הראשונים. השם שלכם מוצג ליד מה שאתם כותבים.",
  yourName: "השם שלכם",
  yourAddress: "כתובת הדוא״ל שלכם",
  begin: "להתחיל",
  badName: "הזינו את שמכם.",
  badAddress: "הזינו כתובת דוא״ל כמו ann@example.com.",
  linkEnded: "הקישור הזה כבר נוצל או שפג תוקפו",
  linkEndedHint: "בקשו ממנהל הזמנה חדשה, או היכנסו בדרך אחרת.",
  otherWays: "דרכים אחרות להיכנס",
  noAccess: "עדיין אין לכם גישה",
  noAccessHint: "בקשו ממנהל של השירות הזה להזמין אתכם.",
  noAddress: "ספק הזהויות לא אימת את כתובת הדוא״ל שלכם. פנו למי שמפעיל את השירות.",
  otherIdentity: "לכתובת הזאת משויך חשבון אחר אצל ספק הזהויות. בקשו ממנהל להזמין אתכם שוב.",
  providerFailed: "הכניסה דרך ספק הזהויות נכשלה",
  providerFailedHint: "נסו שוב, או היכנסו בדרך אחרת.",

  codeSubject: (code, title) => `${isolate(code)} הוא הקוד שלכם: ${isolate(title)}`,
  codeText: "הזינו את הקוד הזה במקום שבו ביקשתם אותו:",
  codeNote: "הוא תקף ל-10 דקות. אם לא ביקשתם אותו, התעלמו מהודעה זו: בלי הקוד איש אינו נכנס.",
  inviteSubject: (title) => `הזמנה: ${isolate(title)}`,
  inviteText: (title) => `הוזמנתם לצוות של ${isolate(title)}. פתחו את הדף כדי להיכנס.`,
  inviteLink: "לקבל את ההזמנה",
  inviteNote: "הקישור פועל פעם אחת, בתוך 7 ימים. אם לא ציפיתם להזמנה, התעלמו ממנה.",

  digestSubject: (title) => `הבוקר: ${isolate(title)}`,
  digestHeld: (count) => `רעיונות שממתינים לאישור: ${count}`,
  digestReported: (count) => `רעיונות שדווחו: ${count}`,
  digestIdeas: "רעיונות חדשים",
  digestMailings: "דיוורים בבעיה",
  digestWebhooks: "Webhooks בבעיה",
  openStudio: "לפתוח את הסטודיו",
  digestNote: "אתם מקבלים את ההודעה הזאת כחברי הצוות, לכל היותר פעם ביום.",
  digestSettings: "עצירת ההודעה הזאת",
};
