/** Names of the periods that tools take, as a person says them. */
export const periods = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'last_7_days',
  'last_30_days',
  'this_month',
  'last_month',
  'this_year',
  'last_year',
  'all_time',
] as const;
