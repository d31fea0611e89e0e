// Generated from the comments of the shapes of the wire and of the criteria by `npm run generate`. Change the shapes instead.
import type { FieldNotes } from './schemas.ts'

/** The meaning of the named shapes of the wire and their fields. */
export const fieldNotes = {
  "PersonalData": {
    "description": "Name, birthday and identity document.",
    "fields": {
      "first_name": "First name. Not empty.",
      "last_name": "Last name. Not empty.",
      "second_surname": "Second surname.",
      "birthday": "Date of birth, as `YYYY-MM-DD`; must be an existing date.",
      "identification_number": "Number of the national id, foreigner id or passport.",
      "nacionality": "Nationality. The wire uses this spelling. Default: `ES`.",
      "gender": "Gender. Required by the formal schema, but not by the prose."
    }
  },
  "EmailContact": {
    "description": "An e-mail address and its verification.",
    "fields": {
      "address": "The address, at most 254 characters. Identifies the customer within a product, ignoring letter case.",
      "status": "Verification status of the address.",
      "verified_at": "The time when the address was verified, RFC 3339 with a time zone.",
      "verification_method": "The verification method of the address.",
      "source": "The source of the address."
    }
  },
  "PhoneContact": {
    "description": "A phone number and its verification.",
    "fields": {
      "area_code": "Country code. Default: `+34`.",
      "number": "The number, without the country code.",
      "status": "Verification status of the number.",
      "verified_at": "The time when the number was verified, RFC 3339 with a time zone.",
      "verification_method": "The verification method of the number.",
      "source": "The source of the number."
    }
  },
  "Contact": {
    "description": "The customer's e-mail address and phone number.",
    "fields": {
      "email": "E-mail address.",
      "phone": "Phone number."
    }
  },
  "Address": {
    "description": "The customer's home address.",
    "fields": {
      "street": "Street.",
      "house": "House number.",
      "floor": "Floor.",
      "apartment": "Apartment.",
      "city": "City.",
      "region": "Region or province.",
      "postal_code": "Postal code.",
      "country": "Country. Default: `ES`."
    }
  },
  "Profile": {
    "description": "Work, income and household.",
    "fields": {
      "occupation": "Occupation.",
      "monthly_income": "Net monthly income, in whole euros.",
      "monthly_expenses": "Monthly expenses, in whole euros.",
      "marital_status": "Marital status.",
      "children": "Number of children. Default: `0`.",
      "education": "Highest level of education.",
      "housing_tenure": "Housing tenure.",
      "housing_type": "Type of housing.",
      "company_sector": "The employer's sector."
    }
  },
  "FinancialInstrument": {
    "description": "A bank account or card.",
    "fields": {
      "type": "Type of instrument.",
      "currency": "Currency. Default: `EUR`.",
      "iban": "IBAN of the bank account.",
      "status": "Verification status of the instrument."
    }
  },
  "Customer": {
    "description": "The applicant.",
    "fields": {
      "external_id": "The publisher's own id for the customer, for cross-reference.",
      "personal_data": "Name, birthday and identity document.",
      "contact": "The customer's contact data. The e-mail address identifies the customer within a product.",
      "address": "Home address.",
      "profile": "Work, income and household.",
      "financial_instruments": "Bank accounts and cards. At most 100."
    }
  },
  "LoanProductData": {
    "description": "The loan applied for.",
    "fields": {
      "loan_amount": "Amount, in whole euros. From 500 to 75000.",
      "loan_purpose": "Loan purpose.",
      "loan_term_months": "Term, in months. From 3 to 84."
    }
  },
  "ConsentEntry": {
    "description": "One consent.",
    "fields": {
      "type": "Name of the consent: `terms`, `privacy_policy`, `marketing`, or another name that the publisher defines. Not empty.",
      "accepted": "True if the customer accepted.",
      "accepted_at": "The time when the customer accepted, RFC 3339 with a time zone; `null` for a consent that was not accepted.",
      "version": "Version label of the consent document. Not empty.",
      "document_url": "URL of the exact document shown to the customer. Recommended for audits."
    }
  },
  "ConsentMetadata": {
    "description": "How the consents were collected.",
    "fields": {
      "ip_address": "The customer's IPv4 address when consenting.",
      "user_agent": "The customer's user agent when consenting.",
      "collected_at": "The time when the consents were collected, RFC 3339 with a time zone."
    }
  },
  "Consents": {
    "description": "The customer's consents.",
    "fields": {
      "entries": "One entry per consent. `terms` and `privacy_policy` are required and must be accepted. At most 100.",
      "metadata": "How the consents were collected. Required by the formal schema, but not by the prose."
    }
  },
  "Tracking": {
    "description": "Campaign attribution of a lead.",
    "fields": {
      "click_id": "Id of the click that led to the lead.",
      "sub_id": "The publisher's own sub-id.",
      "campaign_id": "Id of the campaign.",
      "source": "URL of the site where the lead originated, percent-encoded."
    }
  },
  "LeadSubmission": {
    "description": "The body of `POST /lead`: one customer's loan application.",
    "fields": {
      "product_id": "The product applied for: a UUID issued by the service's operator.",
      "publisher_id": "The publisher that submits the lead: a UUID issued by the service's operator together with the API key.",
      "customer": "The applicant.",
      "product_data": "The loan applied for.",
      "consents": "The customer's consents.",
      "tracking": "Campaign attribution."
    }
  },
  "LeadResponse": {
    "description": "The response to `POST /lead`.",
    "fields": {
      "lead_id": "The lead's id, a UUID. Absent or null if no lead was created.",
      "status": "The outcome of the submission.",
      "redirect_url": "The URL to redirect the customer to. Only if `status` is `distributed`.",
      "rejection_reason": "The reason for the rejection. Only if `status` is `rejected`."
    }
  },
  "StatusMetadata": {
    "description": "Loan figures in a status update.",
    "fields": {
      "amount": "Amount of the loan, in euros.",
      "term_months": "Term of the loan, in whole months."
    }
  },
  "StatusUpdate": {
    "description": "The body of `POST /lead/{lead_id}/status`.",
    "fields": {
      "status": "The event: `converted`, or an event name on either list.",
      "advertiser_id": "The reporting advertiser's id, a UUID. It must be the owner of the API key.",
      "metadata": "Loan figures."
    }
  },
  "StatusReply": {
    "description": "The response to `POST /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "The lead's id, a UUID.",
      "status": "The status, as reported."
    }
  },
  "EventReport": {
    "description": "The query of `GET /lead/{lead_id}/status`, the pixel.",
    "fields": {
      "token": "The postback URL's signed token, valid for that lead only. Not empty.",
      "event": "The event, by its name on either list.",
      "ref": "The advertiser's own reference for the lead. At most 255 characters."
    }
  },
  "EventReply": {
    "description": "The response to `GET /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "The lead's id, a UUID.",
      "event": "The event, by its name in the pixel's enumeration.",
      "status": "`received`: recorded, and the publisher is notified. `ignored`: a repeat."
    }
  },
  "FieldIssue": {
    "description": "An issue of a field.",
    "fields": {
      "field": "A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole.",
      "issue": "The requirement that the value does not meet."
    }
  },
  "ErrorResponse": {
    "description": "The body of every error response.",
    "fields": {
      "error": "Error code.",
      "message": "The problem and its solution, for a human reader.",
      "details": "One issue per field, at most 100; if there are more, the last one gives the number of the others. Only in a `400`."
    }
  },
  "ProductCriteria": {
    "description": "The criteria of a product. The specification defines none: each product publishes its own.",
    "fields": {
      "min_age": "Minimum age of a customer. In whole years. At most 200. Default: `18`.",
      "max_age": "Maximum age of a customer, until the day before the next birthday. In whole years. At most 200. Default: `75`.",
      "minimum_monthly_income": "Minimum net monthly income, for customers who state one. In whole euros. Default: `600`.",
      "countries": "Accepted countries of residence. Default: `ES`.",
      "loan_amount": "Loan amounts. In whole euros. Default: `500` to `75000`.",
      "loan_term_months": "Loan terms. In whole months. Default: `3` to `84`.",
      "occupations_excluded": "Excluded occupations. Default: `unemployed`.",
      "fraud_ip_ranges": "IPv4 networks (CIDR). Consents from an address inside one count as fraud. Default: `192.0.2.0/24`."
    }
  },
  "AdvertiserCriteria": {
    "description": "The criteria by which an advertiser accepts or declines leads.",
    "fields": {
      "loan_amount": "Loan amounts. Leads above the default maximum stay `new`. In whole euros. Default: `500` to `50000`.",
      "loan_term_months": "Loan terms. In whole months. Default: `3` to `84`.",
      "loan_purposes_excluded": "Excluded loan purposes. Default: none.",
      "minimum_monthly_income": "Minimum net monthly income. Leads that state no income are accepted. In whole euros. Default: `0`."
    }
  }
} as const satisfies FieldNotes
