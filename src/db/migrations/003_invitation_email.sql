-- The address that an invitation is for. The user is created when the link is used, so an invitation takes no address.
ALTER TABLE sign_in_links ADD COLUMN email text;
