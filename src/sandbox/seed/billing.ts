import { createRandom, type Random } from './random.ts';
import { type Country, countries } from './texts/countries.ts';

/** Prefers the first countries of the list. */
function countryOf(random: Random): Country {
  const share = random.next();
  return countries[Math.floor(share * share * countries.length)] ?? random.pick(countries);
}

/** The random sequence behind one student's name, address and email: so a name fits its country. */
export function homeOf(key: string, studentId: number): { country: Country; random: Random } {
  const random = createRandom(key, 'home', studentId);
  return { country: countryOf(random), random };
}

/** Billing of an order without a checkout. API document, "Order": the first five are strings, never null. */
export const noBilling = {
  billing_city: '',
  billing_state: '',
  billing_country: '',
  billing_street: '',
  billing_zip: '',
  billing_company: null,
  billing_phone: null,
};

/** The billing address of a student. Generated for each response: storing it would double the memory. */
export function billingOf(key: string, studentId: number) {
  const { country, random } = homeOf(key, studentId);
  const [city = '', state = '', zip = ''] = random.pick(country.places).split('/');
  return {
    billing_city: city,
    billing_state: state,
    billing_country: country.name,
    billing_street: `${random.pick(country.streets)} ${random.integer(1, 240)}`,
    billing_zip: digits(zip, random),
    billing_company: random.chance(0.12) ? `${random.pick(companies)} ${city}` : null,
    billing_phone: random.chance(0.6) ? `${country.dialling}${random.integer(10, 99)}` : null,
  };
}

const companies = ['Studio', 'Atelier', 'Workshop', 'Consulting', 'Foundation'];

function digits(pattern: string, random: Random): string {
  return pattern.replace(/#/g, () => String(random.integer(0, 9)));
}
