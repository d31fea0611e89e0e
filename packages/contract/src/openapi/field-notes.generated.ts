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
      "birthday": "Birthday, as `YYYY-MM-DD`; a day that exists.",
      "identification_number": "Number of the national id, foreigner id or passport.",
      "nacionality": "Nationality; this is the spelling on the wire. Default: `ES`.",
      "gender": "Gender; the formal schema requires it, the prose does not."
    }
  },
  "EmailContact": {
    "description": "An e-mail address and its verification.",
    "fields": {
      "address": "The address, at most 254 characters; identifies the customer within a product, ignoring letter case.",
      "status": "Verification status of the address.",
      "verified_at": "The time when the address was verified, RFC 3339 with a zone.",
      "verification_method": "The method of verification of the address.",
      "source": "The place where the address was collected."
    }
  },
  "PhoneContact": {
    "description": "A phone number and its verification.",
    "fields": {
      "area_code": "Country code. Default: `+34`.",
      "number": "The number, without the country code.",
      "status": "Verification status of the number.",
      "verified_at": "The time when the number was verified, RFC 3339 with a zone.",
      "verification_method": "The method of verification of the number.",
      "source": "The place where the number was collected."
    }
  },
  "Contact": {
    "description": "The customer's e-mail address and phone number.",
    "fields": {
      "email": "E-mail.",
      "phone": "Phone."
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
      "monthly_income": "Net monthly income, whole euros.",
      "monthly_expenses": "Monthly expenses, whole euros.",
      "marital_status": "Marital status.",
      "children": "Number of children. Default: `0`.",
      "education": "Highest level of education.",
      "housing_tenure": "Owner or tenant of the home.",
      "housing_type": "Type of home.",
      "company_sector": "The employer's sector."
    }
  },
  "FinancialInstrument": {
    "description": "A bank account or card.",
    "fields": {
      "type": "Type of instrument.",
      "currency": "Currency. Default: `EUR`.",
      "iban": "IBAN of a bank account.",
      "status": "Verification status of the instrument."
    }
  },
  "Customer": {
    "description": "The applicant.",
    "fields": {
      "external_id": "The publisher's own id of the customer, kept for cross-reference.",
      "personal_data": "Name, birthday and identity document.",
      "contact": "The customer's contact data; the email address identifies the customer within a product.",
      "address": "Home address.",
      "profile": "Work, income and household.",
      "financial_instruments": "Bank accounts and cards. At most 100."
    }
  },
  "LoanProductData": {
    "description": "The loan applied for.",
    "fields": {
      "loan_amount": "Amount, whole euros. From 500 to 75000.",
      "loan_purpose": "Purpose of the loan.",
      "loan_term_months": "Term, months. From 3 to 84."
    }
  },
  "ConsentEntry": {
    "description": "One consent.",
    "fields": {
      "type": "Name of the consent: `terms`, `privacy_policy`, `marketing`, or another name that the publisher defines. Not empty.",
      "accepted": "True if the customer accepted.",
      "accepted_at": "The time when the customer accepted, RFC 3339 with a zone; `null` for a consent that was not accepted.",
      "version": "Version label of the consent document. Not empty.",
      "document_url": "URL of the exact document that the customer saw. Recommended for audits."
    }
  },
  "ConsentMetadata": {
    "description": "The circumstances in which the consents were collected.",
    "fields": {
      "ip_address": "IPv4 address from which the customer agreed.",
      "user_agent": "User agent with which the customer agreed.",
      "collected_at": "The time when the consents were collected, RFC 3339 with a zone."
    }
  },
  "Consents": {
    "description": "The customer's consents.",
    "fields": {
      "entries": "One entry for each consent. `terms` and `privacy_policy` are required, accepted. At most 100.",
      "metadata": "The circumstances in which the consents were collected; the formal schema requires it, the prose does not."
    }
  },
  "Tracking": {
    "description": "Campaign attribution of a lead.",
    "fields": {
      "click_id": "Id of the click that brought the customer.",
      "sub_id": "The publisher's own sub-id.",
      "campaign_id": "Id of the campaign.",
      "source": "URL of the site where the lead originated, percent-encoded."
    }
  },
  "LeadSubmission": {
    "description": "The body of `POST /lead`: one customer's loan application.",
    "fields": {
      "product_id": "The product applied for; a UUID issued by the service's operator.",
      "publisher_id": "The publisher that submits the lead; a UUID issued by the service's operator together with the API key.",
      "customer": "The applicant.",
      "product_data": "The loan applied for.",
      "consents": "The customer's consents.",
      "tracking": "Campaign attribution."
    }
  },
  "LeadResponse": {
    "description": "The response of `POST /lead`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID; absent or null if no lead was created.",
      "status": "The result of the submission.",
      "redirect_url": "The URL to send the customer to; only if `status` is `distributed`.",
      "rejection_reason": "The reason for the rejection; only if `status` is `rejected`."
    }
  },
  "StatusMetadata": {
    "description": "Figures of the loan that a status update reports.",
    "fields": {
      "amount": "Amount of the loan, euros.",
      "term_months": "Term of the loan, whole months."
    }
  },
  "StatusUpdate": {
    "description": "The body of `POST /lead/{lead_id}/status`.",
    "fields": {
      "status": "The event: `converted`, or an event name of either list.",
      "advertiser_id": "The advertiser that reports; a UUID. It must be the owner of the API key.",
      "metadata": "Figures of the loan."
    }
  },
  "StatusReply": {
    "description": "The response of `POST /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID.",
      "status": "The status, as it was reported."
    }
  },
  "EventReport": {
    "description": "The query of `GET /lead/{lead_id}/status`, the pixel.",
    "fields": {
      "token": "The signed token of the postback URL; valid for that lead only. Not empty.",
      "event": "The event, by its name in either list.",
      "ref": "The advertiser's own reference of the lead. At most 255 characters."
    }
  },
  "EventReply": {
    "description": "The response of `GET /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID.",
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
      "message": "The problem and its solution, for people.",
      "details": "The issues of each field, at most 100; if there are more, the last one counts them. Only in a `400`."
    }
  },
  "ProductCriteria": {
    "description": "The criteria of a product. The specification names none: each product publishes its own.",
    "fields": {
      "min_age": "The youngest age of a customer. In whole years. At most 200. Default: `18`.",
      "max_age": "The oldest age of a customer; it ends the day before the next birthday. In whole years. At most 200. Default: `75`.",
      "minimum_monthly_income": "The lowest net monthly income of a customer who states one. In whole euros. Default: `600`.",
      "countries": "The countries that a customer may live in. Default: `ES`.",
      "loan_amount": "The amounts that can be applied for. In whole euros. Default: `500` to `75000`.",
      "loan_term_months": "The terms that can be applied for. In whole months. Default: `3` to `84`.",
      "occupations_excluded": "The occupations that are not eligible. Default: `unemployed`.",
      "fraud_ip_ranges": "IPv4 networks (CIDR). Consents that were given from inside them count as fraud. Default: `192.0.2.0/24`."
    }
  },
  "AdvertiserCriteria": {
    "description": "The criteria of an advertiser, which decide on the leads that it accepts.",
    "fields": {
      "loan_amount": "The amounts that it lends. The default leaves leads of more `new`. In whole euros. Default: `500` to `50000`.",
      "loan_term_months": "The terms that it lends for. In whole months. Default: `3` to `84`.",
      "loan_purposes_excluded": "The purposes that it does not lend for. Default: none.",
      "minimum_monthly_income": "The lowest net monthly income that it lends to. It accepts a lead that states no income. In whole euros. Default: `0`."
    }
  }
} as const satisfies FieldNotes
