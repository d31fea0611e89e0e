// Generated from the JSDoc of the interfaces by `npm run generate`. Change the interfaces instead.
import type { FieldNotes } from './schemas.ts'

/** The documentation of the interfaces of the wire and their fields. */
export const fieldNotes = {
  "Customer": {
    "description": "The applicant.",
    "fields": {
      "external_id": "The publisher's own id of the customer, kept for cross-reference.",
      "personal_data": "Name, birthday, papers.",
      "contact": "How the customer is reached; the e-mail address identifies the customer within a product.",
      "address": "Where the customer lives.",
      "profile": "Work, income, household.",
      "financial_instruments": "Bank accounts and cards, at most 100."
    }
  },
  "PersonalData": {
    "description": "Name, birthday, papers.",
    "fields": {
      "first_name": "First name; not empty.",
      "last_name": "Last name; not empty.",
      "second_surname": "Second surname.",
      "birthday": "Birthday, as `YYYY-MM-DD`; a day that exists.",
      "identification_number": "Number of the national id, foreigner id or passport.",
      "nacionality": "Nationality; spelled so on the wire. Default `ES`.",
      "gender": "Gender; the formal schema requires it, the prose does not."
    }
  },
  "Contact": {
    "description": "How the customer is reached.",
    "fields": {
      "email": "E-mail.",
      "phone": "Phone."
    }
  },
  "EmailContact": {
    "description": "An e-mail address and how it was verified.",
    "fields": {
      "address": "The address; identifies the customer within a product, letter case ignored.",
      "status": "Whether the address was verified.",
      "verified_at": "When it was verified, RFC 3339 with a zone.",
      "verification_method": "How it was verified.",
      "source": "Where the address was collected."
    }
  },
  "PhoneContact": {
    "description": "A phone number and how it was verified.",
    "fields": {
      "area_code": "Country code. Default `+34`.",
      "number": "The number, without the country code.",
      "status": "Whether the number was verified.",
      "verified_at": "When it was verified, RFC 3339 with a zone.",
      "verification_method": "How it was verified.",
      "source": "Where the number was collected."
    }
  },
  "Address": {
    "description": "Where the customer lives.",
    "fields": {
      "street": "Street.",
      "house": "House number.",
      "floor": "Floor.",
      "apartment": "Apartment.",
      "city": "City.",
      "region": "Region or province.",
      "postal_code": "Postal code.",
      "country": "Country. Default `ES`."
    }
  },
  "Profile": {
    "description": "Work, income, household.",
    "fields": {
      "occupation": "How the customer earns a living.",
      "monthly_income": "Net monthly income, whole euros.",
      "monthly_expenses": "Monthly expenses, whole euros.",
      "marital_status": "Marital status.",
      "children": "Number of children. Default `0`.",
      "education": "Highest education.",
      "housing_tenure": "Whether the customer owns or rents the home.",
      "housing_type": "The kind of home.",
      "company_sector": "The sector of the employer."
    }
  },
  "FinancialInstrument": {
    "description": "A bank account or card.",
    "fields": {
      "type": "The kind of instrument.",
      "currency": "Currency. Default `EUR`.",
      "iban": "IBAN of a bank account.",
      "status": "Whether the instrument was verified."
    }
  },
  "LeadSubmission": {
    "description": "The body of `POST /lead`: one customer's loan application.",
    "fields": {
      "product_id": "The product applied for; a UUID issued by the service's operator.",
      "publisher_id": "The publisher that submits the lead; a UUID issued by the service's operator together with the API key.",
      "customer": "The person that applies.",
      "product_data": "What is applied for.",
      "consents": "What the customer has agreed to.",
      "tracking": "Where the lead comes from: campaign attribution."
    }
  },
  "LoanProductData": {
    "description": "What is applied for.",
    "fields": {
      "loan_amount": "Amount, whole euros, from 500 to 75000 inclusive.",
      "loan_purpose": "Why the customer borrows.",
      "loan_term_months": "Term, months, from 3 to 84 inclusive."
    }
  },
  "Consents": {
    "description": "What the customer has agreed to.",
    "fields": {
      "entries": "One entry for each consent, at most 100; `terms` and `privacy_policy` must be there, accepted.",
      "metadata": "How the consents were collected; the formal schema requires it, the prose does not."
    }
  },
  "ConsentEntry": {
    "description": "One consent.",
    "fields": {
      "type": "The consent's name: `terms`, `privacy_policy`, `marketing` or another name that the publisher sets.",
      "accepted": "Whether the customer accepted.",
      "accepted_at": "When the customer accepted, RFC 3339 with a zone; `null` for a consent not accepted.",
      "version": "Version label of the consent document.",
      "document_url": "URL of the exact document that was accepted. Recommended for audits."
    }
  },
  "ConsentMetadata": {
    "description": "How the consents were collected.",
    "fields": {
      "ip_address": "IPv4 address that the customer agreed from.",
      "user_agent": "User agent that the customer agreed with.",
      "collected_at": "When the consents were collected, RFC 3339 with a zone."
    }
  },
  "Tracking": {
    "description": "Where a lead comes from: campaign attribution.",
    "fields": {
      "click_id": "Id of the click that brought the customer.",
      "sub_id": "The publisher's own sub-id.",
      "campaign_id": "Id of the campaign.",
      "source": "URL of the site where the lead originated."
    }
  },
  "LeadResponse": {
    "description": "The reply of `POST /lead`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID; absent or null where no lead was created.",
      "status": "The result of the submission.",
      "redirect_url": "Where to send the customer; only where `status` is `distributed`.",
      "rejection_reason": "Why the lead is rejected; only where `status` is `rejected`."
    }
  },
  "StatusUpdate": {
    "description": "The body of `POST /lead/{lead_id}/status`.",
    "fields": {
      "status": "What happened to the lead: `converted`, or an event name of either list.",
      "advertiser_id": "The advertiser that reports; a UUID, and the API key's own.",
      "metadata": "Figures of the loan."
    }
  },
  "StatusMetadata": {
    "description": "Figures of the loan that a status update reports.",
    "fields": {
      "amount": "Amount of the loan, euros.",
      "term_months": "Term of the loan, whole months."
    }
  },
  "StatusReply": {
    "description": "The reply of `POST /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID.",
      "status": "The reported status, as it was reported."
    }
  },
  "EventReport": {
    "description": "The query of `GET /lead/{lead_id}/status`, the pixel.",
    "fields": {
      "token": "The signed token of the postback URL; good for that lead only.",
      "event": "What happened: an event name of either list.",
      "ref": "The advertiser's own reference of the lead, at most 255 characters."
    }
  },
  "EventReply": {
    "description": "The reply of `GET /lead/{lead_id}/status`.",
    "fields": {
      "lead_id": "Id of the lead, a UUID.",
      "event": "The event, by the name of the pixel's enumeration.",
      "status": "`received`: recorded, the publisher is notified. `ignored`: a repeat."
    }
  },
  "FieldIssue": {
    "description": "An issue of a field.",
    "fields": {
      "field": "A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole.",
      "issue": "What the value must be."
    }
  },
  "ErrorResponse": {
    "description": "The body of every error reply.",
    "fields": {
      "error": "Error code.",
      "message": "What was wrong and what to do, for people.",
      "details": "The issues of each field, at most 100, the last of which counts those that are not listed; only in a `400`."
    }
  },
  "WireError": {
    "description": "An error reply: the status and the body of 2.13.",
    "fields": {
      "status": "HTTP status.",
      "body": "Body of 2.13."
    }
  }
} as const satisfies FieldNotes
