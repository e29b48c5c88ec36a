import type { Records } from './collections.ts';

// Fields have the API's names, so an update of a product is an assignment.

interface Product {
  readonly id: number;
  readonly slug: string;
  title: string;
  description: string;
}

interface ProductOnSale extends Product {
  is_published: boolean;
  price: string;
  hidden: boolean;
}

interface ProductWithLanding extends ProductOnSale {
  preview_page: boolean | string;
  allow_purchase_from_landing: boolean;
  join_button_text: string;
}

export interface CourseRecord extends ProductWithLanding {
  readonly is_challenge: boolean;
  readonly sold_separately: boolean;
  launch_date: string | null;
  days_of_access: number | null;
}

export interface BundleRecord extends ProductWithLanding {
  readonly course_ids: readonly number[];
  readonly digital_product_ids: readonly number[];
}

export interface DigitalProductRecord extends ProductOnSale {
  readonly product_type: string;
}

export interface ProjectRecord extends Product {
  course_id: number;
}

export interface RoleRecord {
  readonly id: number;
  readonly name: string;
}

/** All products and roles of the academy. */
export interface Catalogue {
  readonly courses: Records<CourseRecord>;
  readonly bundles: Records<BundleRecord>;
  readonly digitalProducts: Records<DigitalProductRecord>;
  readonly projects: Records<ProjectRecord>;
  readonly roles: Records<RoleRecord>;
}

export interface GroupRecord {
  readonly id: number;
  readonly name: string;
  readonly position: number;
}

export interface ChannelRecord {
  readonly id: number;
  readonly slug: string;
  name: string;
  description: string | null;
  group_id: number | null;
  locked: boolean;
  /** Bundle ids. A paid one makes the channel private. */
  readonly offer_ids: readonly number[];
}

export interface TopicRecord {
  readonly id: number;
  readonly channel_id: number;
  readonly title: string;
  readonly slug: string;
}

export interface PostRecord {
  readonly id: number;
  readonly topic: TopicRecord;
  readonly content: string;
  readonly author: { readonly name: string; readonly slug: string };
  readonly created_at: number;
  readonly updated_at: number;
  readonly published_at: number | null;
}

export interface Community {
  readonly groups: Records<GroupRecord>;
  readonly channels: Records<ChannelRecord>;
  readonly topics: readonly TopicRecord[];
  /** Oldest first. */
  readonly posts: PostRecord[];
  /** Whether posts of public channels have a page. The API does not show this account setting. */
  readonly publicPostPages: boolean;
}
